"""CASO and CADO: Wang, Dong, Zhou, Cao and Chi, IEEE TNNLS 2015."""
