"""The regulariser in other training tools. Each file needs its own tool."""
