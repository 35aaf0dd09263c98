"""Models behind one interface: what is asked, what is answered, and how it can fail."""
