"""The pages of a site: one module for each family of them."""
