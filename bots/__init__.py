"""The bundled bots: each file is one complete plugin that works the same in any other package."""
