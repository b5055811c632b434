// Has to come before the library.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  type Extension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** The key and the certificate of a server, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** What a certificate says. */
export interface Claims {
  /** The DNS name that it is for. */
  readonly host: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate authority of its own, which lives as long as a test. */
export interface Authority {
  /** Its certificate, in PEM: who trusts it, trusts what it signs. */
  readonly cert: string;
  sign(claims: Claims): Promise<Identity>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);
const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const forHost = (host: string) => [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])];

/** Makes a certificate that is signed by nobody but itself. */
async function makeRoot(name: string, extensions: Extension[]) {
  const keys = await makeKeys();
  const dates = { notBefore: daysFromNow(-2), notAfter: daysFromNow(2) };
  const parameters = { name: `CN=${name}`, keys, ...dates, signingAlgorithm: algorithm, extensions };
  return { keys, cert: await X509CertificateGenerator.createSelfSigned(parameters) };
}

/** Makes a certificate authority. */
export async function makeAuthority(name: string): Promise<Authority> {
  const { keys, cert } = await makeRoot(name, [new BasicConstraintsExtension(true, undefined, true)]);
  return {
    cert: cert.toString('pem'),
    async sign({ host, notBefore = daysFromNow(-1), notAfter = daysFromNow(1) }) {
      const { publicKey, privateKey } = await makeKeys();
      const signed = await X509CertificateGenerator.create({
        subject: `CN=${host}`,
        issuer: cert.subject,
        publicKey,
        signingKey: keys.privateKey,
        notBefore,
        notAfter,
        signingAlgorithm: algorithm,
        extensions: forHost(host),
      });
      return identity(signed, privateKey);
    },
  };
}

/** Makes the identity of a server whose certificate nobody else has signed. */
export async function selfSigned(host: string): Promise<Identity> {
  const { keys, cert } = await makeRoot(host, forHost(host));
  return identity(cert, keys.privateKey);
}

async function identity(cert: X509Certificate, privateKey: webcrypto.CryptoKey): Promise<Identity> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return { key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`, cert: cert.toString('pem') };
}
