"""The site as it leaves the house: its files, their folder, and how they are served."""
