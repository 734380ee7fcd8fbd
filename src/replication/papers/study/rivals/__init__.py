"""Methods of others that the study compares and a user need not try, one module a method."""
