"""What variational LDA is made of: inference for documents, and the kernel of a prior that keeps topics apart."""
