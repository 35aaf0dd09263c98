"""Samples are put together at run time: no secret-looking text stands in this repository."""

from __future__ import annotations

import pytest

from publisher.scanning.scanner import Scanner, default_scanner


@pytest.fixture(scope="session")
def scanner() -> Scanner:
    return default_scanner()


@pytest.fixture(scope="session")
def github_token() -> str:
    return "gh" + "p_" + "a8F3kLm29QzXw71TnVbY" + "c5RdEe0HgJpUu4Si"


@pytest.fixture(scope="session")
def aws_key_id() -> str:
    return "AK" + "IA" + "QYLPMN5HHHFPZAM2"


@pytest.fixture(scope="session")
def service_password() -> str:
    return "vT7#" + "qLw9/" + 'Zr+3 mK"é'
