"""TLS: certificates of SSL_CERT_FILE are trusted, others are not, and a refused one was never sent a byte."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from engine.providers.interface import ModelReply, ProviderError, TryOutcome
from tests.integration.providers.asking import OK, chat, entry, request
from tests.integration.providers.faulty_server import FaultyServer, answer
from tests.integration.providers.gate_diary import GateDiary


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate for 127.0.0.1 with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    file = tmp_path / "server.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


async def ask_over_tls(server_context: ssl.SSLContext | None, diary: GateDiary) -> tuple[ModelReply, FaultyServer]:
    async with FaultyServer(answer(OK), tls=server_context) as server:
        provider = chat(entry(server.url.replace("http:", "https:")))
        try:
            return await provider.complete(request(), diary), server
        finally:
            await provider.close()


def context_of(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_certificate_of_the_variable_is_trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    reply, _ = asyncio.run(ask_over_tls(context_of(certificate), GateDiary()))
    assert reply.text == "fine"


def test_unknown_certificate_is_refused_before_anything_is_sent(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    diary = GateDiary()
    with pytest.raises(ProviderError) as caught:
        asyncio.run(ask_over_tls(context_of(certificate), diary))
    assert caught.value.error_code == "network_error"
    assert caught.value.__context__ is None
    assert diary.seen == ["admit", TryOutcome(code="network_error")]


def test_server_that_speaks_no_tls_is_settled_as_never_sent() -> None:
    async def body() -> None:
        async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 400 Plain\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        diary = GateDiary()
        provider = chat(entry(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"))
        with pytest.raises(ProviderError) as caught:
            await provider.complete(request(), diary)
        assert caught.value.error_code == "network_error"
        assert diary.seen == ["admit", TryOutcome(code="network_error")]
        await provider.close()
        server.close()
        await server.wait_closed()

    asyncio.run(body())
