"""Releases: every act that makes one (publish, withdraw, reveal), and the one writer that all of them go through."""
