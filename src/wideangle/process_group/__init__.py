"""The processes that train one model together: who they are, how they find each other, and what they exchange."""
