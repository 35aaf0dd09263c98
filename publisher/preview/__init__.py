"""What batches would look like once they are published, for their owner alone: never a snapshot, nor a part of one."""
