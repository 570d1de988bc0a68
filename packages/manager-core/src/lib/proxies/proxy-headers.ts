/**
 * Headers that the reverse proxy puts on requests to the manager itself, over whatever a client sends; from requests to
 * instances it takes them away.
 */
export const proxyHeaders = Object.freeze({
  /** The secret of `home/proxy.secret`: the request comes from our own reverse proxy. */
  secret: 'X-Steward-Proxy',
  /** Whether the client's certificate is valid: `SUCCESS`, `NONE`, or `FAILED` with or without a reason. */
  verify: 'X-Steward-Client-Verify',
  /** Its subject as in RFC 2253: `CN=alice,O=Example`; empty: there is none. */
  subject: 'X-Steward-Client-Subject',
  /** Its serial number, hexadecimal. */
  serial: 'X-Steward-Client-Serial',
})
