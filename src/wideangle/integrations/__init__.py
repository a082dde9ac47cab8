"""The regulariser in the tools that people train with; each file needs its own tool, and imports it when it is used."""
