"""Kernels that are compiled at set-up, before any job asks for one."""

from replication import kernels


def test_every_piece_of_work_calls_kernels_of_this_version():
    for work in kernels.works():
        work()
