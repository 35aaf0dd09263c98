"""The parts of a run's page: texts that fold, rows of guards' marks, the answer as it was corrected, the timeline."""
