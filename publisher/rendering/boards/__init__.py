"""The pages of the leaderboard: what each table, sentence and map of them says."""
