"""Each rule beside what comes nearest to breaking it and doesn't: one part of the positive is changed."""

from __future__ import annotations

from random import Random

import pytest

from publisher.scanning.rules.command_lines import COMMAND_LINES
from publisher.scanning.rules.credential_names import NAMINGS, CredentialName
from publisher.scanning.rules.credential_shapes import CREDENTIAL_SHAPES
from publisher.scanning.rules.interface import Rule
from publisher.scanning.rules.key_material import KEY_MATERIAL
from publisher.scanning.rules.shape import ShapeRule
from publisher.scanning.rules.vendor_prefixes import VENDOR_PREFIXES
from tests.unit.publisher.scanning.samples.draws import filled

# Templates of `draws.filled`.
TOKENS = {
    "adafruit": ("aio¦_{A28}", "aio_{A12}"),
    "anthropic": ("sk¦-ant-oat01-{u93}AA", "sk-ant-oat-{A20}"),
    "apify": ("apify¦_api_{A36}", "apify_api_{A12}"),
    "artifactory": ("AKC¦p{A69}", "AKCp{A20}"),
    "asana": ("1/{d16}:{h32}", "1/{d6}:{h32}"),
    "azure-devops": ("{A76}AZ¦DO{A4}", "{A20}AZDO{A4}"),
    "baidu": ("bce-v3/ALT¦AK-{A21}/{h40}", "bce-v3/ALTAK-{A21}/your-secret"),
    "braintree": ("access_token$production${L16}${h32}", "access_token$staging${L16}${h32}"),
    "buildkite": ("bk¦ua_{h40}", "bkua_{h12}"),
    "clickup": ("pk¦_{d8}_{U32}", "pk_{d8}_{U8}"),
    "contentful": ("CF¦PAT-{u43}", "CFPAT-{A12}"),
    "crates-io": ("cio¦{A32}", "cio{A12}"),
    "dingtalk": ("SE¦C{h64}", "SEC{h32}"),
    "docker": ("dckr¦_oat_{u32}", "dckr_oat_{A8}"),
    "doppler": ("dp.¦st.dev.{A43}", "dp.st.dev.{A12}"),
    "dropbox": ("sl¦.{u140}", "sl.{A20}"),
    "figma": ("fig¦p_{u44}", "figp_{A12}"),
    "firecrawl": ("fc¦-{h32}", "fc-{h12}"),
    "fireworks": ("fw¦_{A24}", "fw_{A8}"),
    "flutterwave": ("FLW¦SECK-{h32}-X", "FLWPUBK-{h32}-X"),
    "google-refresh": ("1/¦/0{u60}", "1//0{A12}"),
    "grafana": ("gl¦c_{b60}", "glc_{A12}"),
    "hubspot": ("pat¦-na1-{uuid}", "path-na1-{uuid}"),
    "jina": ("jina¦_{h32}{A28}", "jina_{A12}"),
    "launchdarkly": ("sdk¦-{uuid}", "env-{uuid}"),
    "maxmind": ("{A6}_{A29}_mmk", "{A6}_{A29}_mmdb"),
    "mollie": ("live¦_{A30}", "live_{A12}"),
    "new-relic": ("{h36}NR¦AL", "{h36}nral"),
    "nuget": ("oy¦2{L43}", "oy2{L12}"),
    "octopus": ("API¦-{U30}", "API-{U8}"),
    "packagist": ("packagist¦_uut_{h68}", "packagist_uut_{h12}"),
    "perplexity": ("pplx¦-{A48}", "pplx-{A12}"),
    "pypi": ("pypi¦-Ag{u100}", "pypi-{A20}"),
    "razorpay": ("rzp¦_live_{A14}", "rzp_live_key"),
    "resend": ("re¦_{A8}_{A24}", "re_{A8}_{A8}"),
    "salesforce": ("00¦D{A12}!{A96}", "00D{A12}"),
    "sentry": ("sntr¦yu_{h64}", "sntryu_{h12}"),
    "shippo": ("shippo¦_live_{h40}", "shippo_live_{h12}"),
    "sonar": ("sq¦p_{h40}", "sqx_{h40}"),
    "tavily": ("tvly¦-{A32}", "tvly-{A12}"),
    "typeform": ("tfp¦_{A44}", "tfp_{A12}"),
    "vault": ("hvs¦.{A24}", "hvs.{A12}"),
    "voyage": ("pa¦-{A43}", "pa-{A12}"),
    "yandex": ("y0¦_{A58}", "y0_{A12}"),
    "zerobounce": ("sk¦_{h48}", "sk_{h12}"),
}
FORMS = [
    ("webhook-url", "https://hooks.slack.com/services/T{U8}/B{U8}/{A24}", "https://hooks.slack.com/services/T0/B0/x"),
    ("webhook-url", "https://{h32}@sentry.io/{d6}", "https://sentry.io/{d6}?commit={h32}"),
    ("jwe", "eyJ¦{A40}.{u171}.{u16}.{u80}.{u22}", "eyJ{A40}.{u171}"),
    ("query-credential", "https://example.org/x?code={A54}", "https://example.org/x?code=a-long-name-in-words-12"),
    ("credential-url", "https://{A40}@example.org/x", "https://{A40}.example.org/x"),
    ("credential-url", "jdbc:oracle:thin:bob/{A12}@db.example.org", "jdbc:oracle:thin:@db.example.org"),
    ("private-jwk", '{"kty":"EC","x":"{u43}","d":"{A43}"}', '{"kty":"EC","x":"{u43}","y":"{A43}"}'),
    ("private-key", "<RSAKeyValue><Modulus>{b172}</Modulus><D>{A172}</D>", "<RSAKeyValue><Modulus>{b172}</Modulus>"),
    ("ansible-vault", "$ANSIBLE_VAULT;1.1;AES256\n{h80}", "$ANSIBLE_VAULT;1.1;AES256\n..."),
    ("extended-private-key", "xprv¦9{w107}", "xpub6{w107}"),
    ("stellar-secret-seed", "S¦A{T54}", "GA{T54}"),
    ("mnemonic", "mnemonic: {seed}", "mnemonic: the first letters of words that make one sentence of twelve"),
    ("ethereum-private-key", "private key 0x{h64}", "transaction 0x{h64}"),
    ("cluster-token", "kubeadm join --token {L6}.{L16}", "kubeadm join --token <token>"),
    ("password-hash", "root:$y$j9T${A22}${A43}:", "root:$y$j9T$:"),
    ("password-hash", "pbkdf2_sha256$260000${A22}${A43}=", "pbkdf2_sha256$260000 rounds"),
    ("password-hash", "userPassword: {SSHA}{A32}", "userPassword: {SSHA}"),
    ("command-line-password", "tool --db-password {A12}", "tool --db-password-file {A12}"),
    ("command-line-password", "tool --password=sunshine", "tool --password=PASSWORD"),
    ("command-line-secret", "tool --api-key {A24}", "tool --api-key $API_KEY"),
    ("command-line-password", "docker login -u bob -p {A16}", "docker run -u bob -p {A16}"),
    ("command-line-password", "smbclient //srv/x -U bob%{A10}", "smbclient //srv/x -U bob%$PASS"),
    ("command-line-password", "echo {A10} | sudo -S true", "echo {A10} | tee file"),
    ("command-line-password", "openssl rsa -passin pass:{A12}", "openssl rsa -passin file:{A12}"),
    ("command-line-password", r"net use z: \\srv\x {A10} /user:bob", r"net use z: \\srv\x /user:bob"),
    ("curl-auth-user", "curl -u bob:{A12} https://example.org", "curl -u user:{A12} https://example.org"),
    ("password-assignment", "ENV DB_PASSWORD {A12}", "ENV DB_PASSWORD_FILE {A12}"),
    ("secret-assignment", "ENV API_KEY {A24}", "ENV API_KEY_NAME {A24}"),
    ("secret-assignment", "the acme token {A32}", "the token {A32}"),
    ("pgpass-password", "db.example.org:5432:app:app:{A12}", "db.example.org:5432:app:app:$PASSWORD"),
    ("password-directive", "requirepass {A20}", "requirepass foobared"),
    ("password-directive", "username bob password 7 {H12}", "password 7 characters"),
    ("password-assignment", "dbPwd = '{A12}'", "dbPwd = 'request.form.password'"),
    ("password-assignment", 'String password = "sunshine";', 'String password = "required";'),
    ("password-assignment", 'setPassword("letmein")', 'setPassword("currentPassword")'),
    ("password-assignment", "DB_PASSWORD=letmein", "login(password=password)"),
    ("password-assignment", "userPassword: monkey99", "userPassword: monkey"),
    ("password-assignment", '"pass": "monkey99"', '"pass": "failed", "of": "monkey99"'),
    ("password-assignment", "IDENTIFIED BY 'letmein'", "IDENTIFIED BY '<password>'"),
    ("password-assignment", "- name: DB_PASSWORD\n  value: {A12}", "- name: DB_PASSWORD\n  valueFrom: {A12}"),
    ("password-assignment", "<key>password</key>\n<string>{A12}</string>", "<key>password</key>\n<true/>"),
    ("password-assignment", 'var password string = "{A12}"', "var password string"),
    ("password-assignment", 'variable "password" {\n  default = "{A12}"', 'variable "password" {\n  type = "string"'),
    ("secret-assignment", "GITHUB_TOKEN: {h40}", "PAGE_TOKEN: {h40}"),
    ("secret-assignment", "const API_KEY: &str = \"{A32}\"", "const API_KEY: &str = env!(\"API_KEY\")"),
    ("secret-assignment", "client_secret({A24}) client_secret(\"{A24}\")", "client_secret(read_from_environment_2)"),
    ("generic-api-key", "acme_key={A24}", "cache_key={A24}"),
]  # fmt: skip


def names(text: str) -> set[str]:
    shapes = (*VENDOR_PREFIXES, *CREDENTIAL_SHAPES, *COMMAND_LINES, *KEY_MATERIAL)
    rules: tuple[Rule, ...] = (*map(ShapeRule, shapes), *map(CredentialName, NAMINGS))
    return {hit.rule.removeprefix("SCAN-CRED:") for rule in rules for hit in rule.find(text.encode())}


def test_every_vendor_of_the_table_has_its_samples() -> None:
    assert {f"{vendor}-token" for vendor in TOKENS} == {shape.name for shape in VENDOR_PREFIXES} - {"webhook-url"}


@pytest.mark.parametrize("vendor", TOKENS)
def test_token_is_told_from_the_nearest_text_that_is_none(vendor: str) -> None:
    token, other = (filled(template, Random(vendor)) for template in TOKENS[vendor])
    assert f"{vendor}-token" in names(f"see {token} there")
    assert f"{vendor}-token" not in names(f"see {other} there")


@pytest.mark.parametrize(("name", "found", "passed_over"), FORMS)
def test_form_is_told_from_the_nearest_text_that_is_none(name: str, found: str, passed_over: str) -> None:
    assert name in names(filled(found, Random(20)))
    assert names(filled(passed_over, Random(20))) == set()
