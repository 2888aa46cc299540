"""TXT look-ups: the only place that speaks DNS."""

import dns.exception
import dns.resolver

from mail.dkim_check import Resolve


def make_resolver(seconds: float = 5.0) -> Resolve:
    """Asks the system's name servers, at most ``seconds`` a name."""
    resolver = dns.resolver.Resolver()
    resolver.lifetime = seconds

    def resolve(name: str) -> bytes | None:
        try:
            answer = resolver.resolve(name, "TXT")
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return None
        except dns.exception.DNSException as error:
            raise OSError(f"{name}: {error}") from error
        return b"".join(answer[0].strings)

    return resolve
