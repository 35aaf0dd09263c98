from __future__ import annotations

import string
from base64 import b64encode
from random import Random

import pytest

from publisher.scanning.passage import Form
from publisher.scanning.rules.credential_shapes import CredentialShapes

RANDOM = Random(20)
LETTERS = string.ascii_letters + string.digits


def draw(length: int, alphabet: str = LETTERS) -> str:
    return "".join(RANDOM.choice(alphabet) for _ in range(length - 3)) + "a7Q"[: min(3, length)]


def names(text: str, form: Form = "prose") -> set[str]:
    return {hit.rule.removeprefix("SCAN-CRED:") for hit in CredentialShapes().find(text, form)}


BASE32 = string.ascii_uppercase + "234567"
PEM = "-----BEGIN " + "RSA PRIVATE" + " KEY-----"

POSITIVES = {
    "private-key": [f"{PEM}\n{draw(64)}\n", f"{PEM}\\n{draw(64)}", f"{PEM}\nProc-Type: 4,ENCRYPTED\n\n{draw(64)}"],
    "aws-access-token": ["AK" + "IAQYLPMN5HHHFPZAM2", "键" + "AS" + "IAQYLPMN5HHHFPZAM2值"],
    "secret-key-prefix": [
        "sk" + f"-{draw(48)}",
        "sk" + f"-proj-{draw(80)}",
        "key sk" + f"-{draw(32, '0123456789abcdef')}.",
    ],
    "azure-ad-client-secret": [f"{draw(3)}8Q~{draw(34)}", f"value='{draw(3)}8Q~{draw(33)}'"],
    "square-secret": ["sq0csp" + f"-{draw(43)}"],
    "alibaba-access-key-id": ["LT" + f"AI{draw(20)}"],
    "tencent-cloud-secret-id": ["AK" + f"ID{draw(32)}"],
    "telegram-bot-api-token": [f"1234509876:AA{draw(33)}"],
    "jwt": [f"eyJ{draw(20)}.eyJ{draw(40)}.{draw(43)}"],
    "bearer-token": [f"Authorization: Bearer {draw(40)}", f"bearer {draw(24)}"],
    "authorization-header": [f"Authorization: Token {draw(32)}", f'"authorization": "token={draw(32)}"'],
    "basic-credentials": ["Authorization: Basic " + b64encode(f"app:{draw(12)}".encode()).decode()],
    "credential-url": [f"postgres://app:{draw(14)}@db.example.org/x", f"https://:{draw(9)}@[::1]/"],
    "password-assignment": [
        f"password = '{draw(12)}'",
        f"DB_PASSWORD={draw(12)}",
        f"密码：{draw(12)}，",
        f"config:password={draw(12)}",
        f'<add key="Password" value="{draw(12)}" />',
    ],
    "secret-assignment": [
        f"api_key: {draw(32, '0123456789abcdef')}",
        f"client_secret => '{draw(24)}'",
        f'("api_token", "{draw(32)}")',
        f"密钥={draw(24)}",
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in POSITIVES.items() for text in texts])
def test_shape_is_found(name: str, text: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{PEM}\nanything\n-----END",
        "-----BEGIN PUBLIC KEY-----\n" + draw(64),
        "AK" + "IAIOSFODNN7EXAMPLE",
        "AK" + "IAXXXXXXXXXXXXXXXX",
        "task-" + draw(30),
        "sk-learn is fine, risk-adjusted-return-of-the-fund",
        "sk" + "-your-key-goes-here-1234",
        "Authorization: Bearer $TOKEN_FROM_ENVIRONMENT",
        "Authorization: Bearer <your token>",
        "bearer bonds of 2024-05-31 pay quarterly",
        "basic understanding of the fund",
        "https://user:pass@example.org postgres://u:${PASSWORD}@h/x",
        "https://example.org:8080/a@b",
        "password: required",
        "password=os.environ.get",
        "Your password must have eight characters.",
        "密码：请登录后联系客服95588修改",
        "api_key = os.environ['OPENAI_API_KEY']",
        "secret: none of the above; key figure 12.5%",
        "token: 128",
    ],
)
def test_placeholders_and_plain_words_are_not_flagged(text: str) -> None:
    assert names(text) == set()


def test_rules_that_go_by_a_word_leave_notation_alone() -> None:
    text = f'{{"password":"{draw(12)}","api_key":"{draw(32)}"}}'
    assert names(text)
    assert names(text, "notation") == set()
