"""The game of Risk as a library of its own: it knows nothing of bots, tournaments or databases."""
