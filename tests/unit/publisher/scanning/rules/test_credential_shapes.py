from __future__ import annotations

import string
from base64 import b64encode
from random import Random

import pytest

from publisher.scanning.rules.command_lines import COMMAND_LINES
from publisher.scanning.rules.credential_names import NAMINGS, CredentialName
from publisher.scanning.rules.credential_shapes import CREDENTIAL_SHAPES
from publisher.scanning.rules.interface import Rule
from publisher.scanning.rules.key_material import KEY_MATERIAL
from publisher.scanning.rules.shape import ShapeRule
from publisher.scanning.rules.vendor_prefixes import VENDOR_PREFIXES
from publisher.scanning.rules.vendor_tokens import VENDOR_TOKENS

RANDOM = Random(20)
LETTERS = string.ascii_letters + string.digits


def draw(length: int, alphabet: str = LETTERS) -> str:
    return "".join(RANDOM.choice(alphabet) for _ in range(length - 3)) + "a7Q"[: min(3, length)]


RULES: tuple[Rule, ...] = (
    *map(ShapeRule, (*VENDOR_TOKENS, *VENDOR_PREFIXES, *CREDENTIAL_SHAPES, *COMMAND_LINES, *KEY_MATERIAL)),
    *map(CredentialName, NAMINGS),
)


def names(text: str) -> set[str]:
    return {hit.rule.removeprefix("SCAN-CRED:") for rule in RULES for hit in rule.find(text.encode())}


BASE32 = string.ascii_uppercase + "234567"
PEM = "-----BEGIN " + "RSA PRIVATE" + " KEY-----"

POSITIVES = {
    "private-key": [f"{PEM}\n{draw(64)}\n", f"{PEM}\\n{draw(64)}", f"{PEM}\nProc-Type: 4,ENCRYPTED\n\n{draw(64)}"],
    "note-signing-key": ["PRIVATE" + f"+KEY+example.org/bench+c74f20a3+{draw(44)}"],
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
        f"登录口令是：{draw(12)}",
        f"<password>{draw(12)}</password>",
        f"config:password={draw(12)}",
        f'<add key="Password" value="{draw(12)}" />',
    ],
    "huggingface-access-token": ["hf" + f"_{draw(34)}"],
    "mailgun-private-api-token": ["key" + f"-{draw(34, '0123456789abcdef')[:31]}a"],
    "google-oauth-client-secret": ["GOC" + f"SPX-{draw(28)}"],
    "new-relic-user-api-key": ["NR" + f"AK-{draw(27, string.ascii_uppercase + string.digits)}"],
    "okta-access-token": ["Authorization: SS" + f"WS 00{draw(40)}"],
    "vendor-token": ["gs" + f"k_{draw(52)}", "lin" + f"_api_{draw(40)}"],
    "putty-private-key": ["PuTTY-User-" + f"Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 8\n{draw(64)}"],
    "session-cookie": [f"Set-Cookie: session={draw(40)}; Path=/"],
    "netrc-password": [f"machine h.example.org login bob password {draw(14)}"],
    "command-line-password": [
        f"tool --password {draw(14)}",
        f"mysql -u app -p{draw(12)} db",
        f"sshpass -p {draw(9)} x",
    ],
    "powershell-secure-string": [f'ConvertTo-SecureString "{draw(14)}" -AsPlainText'],
    "password-hash": ["$2b" + f"$12${draw(53)}", "$6" + f"${draw(16)}${draw(86)}"],
    "private-key-store": ["certificates/client.p12", 'see "ToDo_Key.PFX", and', r"C:\app\store.pfx", "签名a.p12文件"],
    "sourcegraph-access-token": [f"sourcegraph: {draw(40, '0123456789abcdefABCDEF')[:36]}aB1C"],
    "generic-api-key": [f"MY_TOKEN={draw(32)}"],
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
        "store.file=env/cert.p12 a.p12_x .pfx",
        f"sourcegraph: {draw(40, '0123456789abcdef')[:37]}abc",
        "Password = ClearTextPassword1",
        '{"passphrase": "my-passphrase-12"}',
    ],
)
def test_placeholders_and_plain_words_are_not_flagged(text: str) -> None:
    assert names(text) == set()


def test_password_that_is_more_than_the_name_of_its_field_is_flagged() -> None:
    assert names("password = OurPassword2024!") == {"password-assignment"}


def test_digests_beside_the_words_key_and_token_are_not_flagged() -> None:
    digest = draw(64, "0123456789abcdef")
    assert names(f'{{"key":"{digest}","token":"sha256:{digest}","auth":"{digest[:32]}-us18"}}') == set()


def test_hit_beside_a_character_that_is_taken_out_is_left_to_the_reading_without_it() -> None:
    value = draw(24)
    assert names(f"token = {value}")
    assert names(f"csrf\u200b-token = {value}") == set()
