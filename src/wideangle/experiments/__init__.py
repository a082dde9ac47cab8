"""The paper's experiments: specs, a runner that can be stopped, and reports beside the published numbers."""
