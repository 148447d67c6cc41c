//! Which addresses are public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one of the internet at large (IANA's registries of special-purpose addresses).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match a {
        0 | 10 | 127 | 224.. => true,
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => b == 168 || (b, c) == (0, 0) || (b, c) == (0, 2) || (b, c) == (88, 99),
        198 => b == 18 || b == 19 || (b, c) == (51, 100),
        203 => (b, c) == (0, 113),
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Only this eighth is given out; what is special in it: 2001::/23 (Teredo and others), 2001:db8::/32, 2002::/16 (6to4 has an IPv4
    // address in it) and 3fff::/20. IPv4 addresses in others (::ffff:0:0/96, 64:ff9b::/96) are outside of it.
    let is_given_out = a & 0xe000 == 0x2000;
    let is_special = match a {
        0x2001 => b < 0x200 || b == 0xdb8,
        0x2002 => true,
        0x3fff => b < 0x1000,
        _ => false,
    };
    is_given_out && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        let special = "0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 \
             192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 \
             239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 \
             64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 fc00::1 fd12::1 fe80::1 fec0::1 ff02::1";
        for address in special.split(' ') {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        let public = "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.0.1 172.15.0.1 172.32.0.1 \
             192.0.1.1 192.167.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2001:200::1 2003::1 2606:4700::1111 2a00:1450::1";
        for address in public.split(' ') {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
