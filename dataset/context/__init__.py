"""What a model is given to work with, decided item by item: pure rules that a verifier runs again."""
