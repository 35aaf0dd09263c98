"""The scan before publishing: layers turn a document into texts, rules look at the texts, findings are masked."""
