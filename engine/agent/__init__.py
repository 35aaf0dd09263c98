"""The loop: load visible tools, ask the model, govern its calls, replay frozen tools, observe, again."""
