"""What must hold before anything is published: one gate a file, all of them evaluated, every fault told."""
