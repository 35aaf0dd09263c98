"""How a document becomes readable text: one file per way of decoding."""
