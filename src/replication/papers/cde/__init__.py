"""CDE: Jian, Cao, Pang, Lu and Gao, IJCAI 2017."""
