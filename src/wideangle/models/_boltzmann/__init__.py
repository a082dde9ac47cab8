"""What both restricted Boltzmann machines share."""
