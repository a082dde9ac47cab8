"""What both networks share."""
