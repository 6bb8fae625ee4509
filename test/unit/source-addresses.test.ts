import { describe, expect, it } from 'vitest';
import { embeddedIPv4, isPublicAddress } from '../../src/support/net/addresses.ts';
import { AllowedHosts, isAllowedEntry } from '../../src/support/net/allowed-hosts.ts';

describe('addresses', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.0.1',
    '198.19.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'no address',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('finds the IPv4 address in an IPv6 one', () => {
    expect(embeddedIPv4('::ffff:1.2.3.4')).toBe('1.2.3.4');
    expect(embeddedIPv4('64:ff9b::102:304')).toBe('1.2.3.4');
    expect(embeddedIPv4('2606:4700::1111')).toBeUndefined();
  });
});

describe('what an operator allows', () => {
  const to = (host: string, port: number, address: string) => ({ host, port, address });

  it('is a host, a host with its port, an address or a subnet', () => {
    const allowed = new AllowedHosts([
      'wiki.internal',
      'git.internal:8443',
      '10.1.0.0/16',
      '[::1]:9000',
      '127.0.0.1',
    ]);
    expect(allowed.permits(to('wiki.internal', 80, '10.9.0.1'))).toBe(true);
    expect(allowed.permits(to('WIKI.internal', 80, '10.9.0.1'))).toBe(true);
    expect(allowed.permits(to('git.internal', 8443, '10.9.0.1'))).toBe(true);
    expect(allowed.permits(to('git.internal', 443, '10.9.0.1'))).toBe(false);
    expect(allowed.permits(to('any.internal', 80, '10.1.2.3'))).toBe(true);
    expect(allowed.permits(to('any.internal', 80, '10.2.2.3'))).toBe(false);
    expect(allowed.permits(to('[::1]', 9000, '::1'))).toBe(true);
    expect(allowed.permits(to('[::1]', 9001, '::1'))).toBe(false);
    expect(allowed.permits(to('127.0.0.1', 1, '127.0.0.1'))).toBe(true);
    expect(allowed.permits(to('sub.wiki.internal', 80, '10.9.0.1'))).toBe(false);
    expect(allowed.permits(to('example.com', 443, '8.8.8.8'))).toBe(true);
  });

  it('is checked when it is configured', () => {
    for (const entry of ['a.example', 'localhost:8080', '10.0.0.0/8', 'fd00::/8', '[::1]:80', '::1'])
      expect([entry, isAllowedEntry(entry)]).toEqual([entry, true]);
    for (const entry of ['http://a.example', 'a b', '10.0.0.0/33', 'a.example/8', 'a:99999', '*.example'])
      expect([entry, isAllowedEntry(entry)]).toEqual([entry, false]);
  });
});
