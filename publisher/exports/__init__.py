"""What a site offers to take along: tables, citations, feeds, descriptions for machines, badges, one archive."""
