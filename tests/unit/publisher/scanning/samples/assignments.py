"""A name, a sign and a value in the ways of many languages: `NAME` and `VALUE` stand for what is set and to what."""

from __future__ import annotations

from itertools import product
from random import Random

from tests.unit.publisher.scanning.samples.draws import filled

SYNTAXES: dict[str, tuple[str, ...]] = {
    "settings": (
        "NAME=VALUE",
        "NAME = VALUE",
        "export NAME=VALUE",
        "export NAME='VALUE'",
        'NAME="VALUE"',
        "NAME: VALUE",
        'NAME: "VALUE"',
        "  NAME: 'VALUE'  # for the job",
        "app.NAME=VALUE",
        "app.db.NAME: VALUE",
        "set NAME=VALUE",
        "setx NAME VALUE",
        "ENV NAME VALUE",
        "ENV NAME=VALUE",
        "ARG NAME=VALUE",
        "- NAME=VALUE",
        "- name: NAME\n  value: VALUE",
        '- name: NAME\n  value: "VALUE"',
        '{"name": "NAME", "value": "VALUE"}',
        '{"key": "NAME", "value": "VALUE"}',
        '"NAME": "VALUE"',
        "{'NAME': 'VALUE'}",
        '"NAME":"VALUE",',
        '{\\"NAME\\":\\"VALUE\\"}',
        '[x]\nNAME = "VALUE"',
        "NAME := VALUE",
        "NAME ?= VALUE",
        "<NAME>VALUE</NAME>",
        '<add key="NAME" value="VALUE" />',
        '<setting name="NAME">VALUE</setting>',
        '<property name="NAME" value="VALUE"/>',
        '<db user="bob" NAME="VALUE" />',
        '<entry key="NAME">VALUE</entry>',
        "<key>NAME</key>\n<string>VALUE</string>",
        '<string name="NAME">VALUE</string>',
        "--NAME VALUE",
        "--NAME=VALUE",
        "-DNAME=VALUE",
        "-e NAME=VALUE",
    ),
    "source text": (
        'NAME = "VALUE"',
        "NAME = 'VALUE';",
        "NAME='VALUE'",
        'const NAME = "VALUE";',
        "let NAME = 'VALUE'",
        "const NAME = `VALUE`;",
        "var NAME = 'VALUE',",
        'NAME := "VALUE"',
        'var NAME string = "VALUE"',
        'private static final String NAME = "VALUE";',
        'String NAME="VALUE";',
        '#define NAME "VALUE"',
        'static const char *NAME = "VALUE";',
        'char NAME[] = "VALUE";',
        'std::string NAME("VALUE");',
        'std::string NAME{"VALUE"};',
        'let NAME: String = "VALUE"',
        'const NAME: &str = "VALUE";',
        'val NAME = "VALUE"',
        'NAME: str = "VALUE"',
        'connect(host="db", NAME="VALUE")',
        "connect(NAME: 'VALUE')",
        '  NAME: "VALUE",',
        ":NAME => 'VALUE',",
        "'NAME' => 'VALUE',",
        '"NAME" => "VALUE"',
        "$NAME = 'VALUE';",
        '$NAME = "VALUE"',
        "my $NAME = 'VALUE';",
        "define('NAME', 'VALUE');",
        "this.NAME = 'VALUE';",
        'self.NAME = "VALUE"',
        'config["NAME"] = "VALUE"',
        "$config['NAME'] = 'VALUE';",
        "config.NAME = 'VALUE'",
        'NSString *NAME = @"VALUE";',
        '@"NAME": @"VALUE"',
        'Dim NAME As String = "VALUE"',
        'os.environ["NAME"] = "VALUE"',
        'os.getenv("NAME", "VALUE")',
        "process.env.NAME || 'VALUE'",
        "process.env.NAME = 'VALUE';",
        "ENV['NAME'] ||= 'VALUE'",
        'setProperty("NAME", "VALUE");',
        'props.put("NAME", "VALUE");',
        ".header('NAME', 'VALUE')",
        '{NAME, "VALUE"}',
        ':NAME "VALUE"',
        'if NAME == "VALUE":',
        'if (NAME === "VALUE") {',
        'set("NAME", "VALUE")',
        '["NAME", "VALUE"]',
        '("NAME", "VALUE"),',
        'NAME -> "VALUE"',
        'variable "NAME" {\n  default = "VALUE"\n}',
        '<input type="text" name="NAME" value="VALUE">',
        'NAME=\\"VALUE\\"',
    ),
}
PASSWORDS = (
    "password",
    "DB_PASSWORD",
    "userPassword",
    "MYSQL_ROOT_PASSWORD",
    "passwd",
    "pwd",
    "dbPwd",
    "db_pass",
    "passphrase",
    "admin-password",
    "SmtpPassword",
    "PASS",
)
SECRETS = (
    "secret", "client_secret", "clientSecret", "CLIENT_SECRET", "SECRET_KEY", "secretKey", "app-secret", "apiSecret",
    "api_key", "apiKey", "APIKEY", "X-API-Key", "access_key", "AccessKey", "auth_token", "authToken", "access_token",
    "ACCESS_TOKEN", "refreshToken", "token", "BOT_TOKEN", "private_key", "privateKey", "encryption_key", "credentials",
    "signingKey", "webhook_secret", "storageAccountKey", "AUTH_KEY", "acme_key", "jwtSecret", "SESSION_SECRET",
    "user_auth",
)  # fmt: skip
STRONG = ("{P12}", "{A12}", "{P16}", "{A10}", "{A20}")
RANDOM = ("{A24}", "{A32}", "{h32}", "{h40}", "{b43}=", "{u43}", "{h64}", "{L20}", "{A16}", "{uuid}", "{b64}")
PLACEHOLDERS = (
    "changeme", "xxxxxxxx", "********", "<your-secret>", "${NAME}", "{{ NAME }}", "$NAME", "null", "None", "example",
    "YOUR_SECRET_HERE", "your-secret-here", "replace_me", "TODO", "", "os.environ['NAME']", "process.env.NAME",
    "getenv(NAME)", "%NAME%", "ENC[AES256_GCM,data]", "string", "required", "<%= NAME %>", "placeholder", "redacted",
    "[REDACTED]", "undefined", "password", "secret", "my-secret", "dummy", "none", "true", "{NAME}", "var.NAME",
    "file:/run/secrets/x", "@NAME@", "insert your key", "xxxx-xxxx-xxxx-xxxx", "request.form.NAME", "hidden",
    "__NAME__",
)  # fmt: skip


VALUES = {"passwords": STRONG, "weak passwords": ("{weak}",), "keys and tokens": RANDOM}


def secrets(family: str, values: str, random: Random) -> list[str]:
    """Every syntax of a family with names and values drawn, four times."""
    names = SECRETS if values == "keys and tokens" else PASSWORDS
    return [
        set_to(syntax, random.choice(names), filled(random.choice(VALUES[values]), random))
        for syntax, _ in product(SYNTAXES[family], range(4))
    ]


def placeholders(family: str, random: Random) -> list[str]:
    """Every syntax of a family with what stands where a secret would."""
    return [
        set_to(syntax, random.choice((*PASSWORDS, *SECRETS)), random.choice(PLACEHOLDERS))
        for syntax, _ in product(SYNTAXES[family], range(8))
    ]


def set_to(syntax: str, name: str, value: str) -> str:
    return syntax.replace("VALUE", value).replace("NAME", name)
