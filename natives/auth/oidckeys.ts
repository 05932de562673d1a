import { createSecretKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, FlattenedJWSInput, JWSHeaderParameters } from 'jose';
import { fetchReason, JwtKeys } from './jwtkeys.js';

/** Milliseconds for which a provider's keys are kept, unless a token names an unknown one. */
const KEYS_MS = 10 * 60 * 1000;

/** What is wrong with the signature of a provider's token, or that its keys cannot be fetched. */
export class SignatureProblem extends Error {
  constructor(
    readonly isOfKeys: boolean,
    message: string,
  ) {
    super(message);
  }
}

/** The keys with which a provider signs its tokens. */
export class OidcKeys {
  private published: JwtKeys | null = null;

  /** @param timeout seconds for a request */
  constructor(
    private readonly clientSecret: string | null,
    private readonly isPlain: boolean,
    private readonly timeout: number,
  ) {}

  /**
   * The content of a token after checking its signature.
   * @param address of the public keys
   * @throws SignatureProblem
   */
  async contentOf(token: string, address: string | undefined): Promise<string> {
    const { compactVerify } = await import('jose');
    try {
      const { payload } = await compactVerify(token, (header, parts) => this.keyOf(address, header, parts));
      return Buffer.from(payload).toString();
    } catch (error) {
      throw error instanceof SignatureProblem ? error : problemOf(error as Error & { code?: string });
    }
  }

  /** The key for a token. The client's secret serves HS256 and its kin alone (OpenID Connect Core 10.1). */
  private async keyOf(
    address: string | undefined,
    header: JWSHeaderParameters,
    parts: FlattenedJWSInput,
  ): Promise<KeyObject | CryptoKey> {
    if (header.alg?.startsWith('HS') !== true) return (await this.at(address).finder())(header, parts);
    if (this.clientSecret === null)
      throw new SignatureProblem(false, `the token is signed with ${header.alg}, which needs a client_secret`);
    return createSecretKey(Buffer.from(this.clientSecret));
  }

  /** The keys at an address; those of another one are dropped. */
  private at(address: string | undefined): JwtKeys {
    const url = address !== undefined && URL.canParse(address) ? new URL(address) : null;
    if (url === null || (url.protocol !== 'https:' && !(this.isPlain && url.protocol === 'http:')))
      throw new SignatureProblem(true, `its description names no ${this.isPlain ? '' : 'https:// '}address of keys`);
    if (this.published?.url !== url.href)
      this.published = new JwtKeys(url.href, KEYS_MS, Math.ceil(this.timeout * 1000));
    return this.published;
  }
}

/** Words for an error of `jose`, or of the request for the keys. */
function problemOf(error: Error & { code?: string }): SignatureProblem {
  switch (error.code) {
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return new SignatureProblem(false, 'the signature of the token is wrong');
    case 'ERR_JWKS_NO_MATCHING_KEY':
    case 'ERR_JWKS_MULTIPLE_MATCHING_KEYS':
      return new SignatureProblem(false, 'no key of the provider matches the token');
    case 'ERR_JWS_INVALID':
      return new SignatureProblem(false, 'the text is no JSON Web Token');
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
    case 'ERR_JOSE_NOT_SUPPORTED':
      return new SignatureProblem(false, 'the token is signed with an algorithm that is not supported');
    default:
      return new SignatureProblem(true, `its keys cannot be fetched: ${fetchReason(error)}`);
  }
}
