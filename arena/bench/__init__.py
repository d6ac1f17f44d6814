"""What a game costs, and where: the figures behind `arena bench`, explained in docs/performance.md."""
