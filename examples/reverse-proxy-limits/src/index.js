// @ts-check

/** Requests of one address in a second, and how many more may come at once. */
const [perSecond, atOnce] = [50, 200]

/**
 * nginx as the manager has it, with a limit of requests: `APPS_HTTPSERVER` names this package.
 *
 * @type {import('@steward/manager-core').ReverseProxyPlugin}
 */
export const reverseProxy = {
  make({ builtIn }) {
    const nginx = builtIn.nginx()
    return {
      ...nginx,
      type: '@steward/example-reverse-proxy-limits',
      render(publication, generation, version) {
        const files = new Map(nginx.render(publication, generation, version))
        files.set(
          '00-limits.conf',
          `limit_req_zone $binary_remote_addr zone=steward:10m rate=${perSecond}r/s;
limit_req zone=steward burst=${atOnce} nodelay;
limit_req_status 429;
`,
        )
        return files
      },
    }
  },
}
