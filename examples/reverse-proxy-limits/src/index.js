// @ts-check

/** Requests of one address that may be under way at the same time. */
const atOnce = 100

/**
 * nginx as the manager has it, with a limit of requests under way: `APPS_HTTPSERVER` names this package.
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
          `limit_conn_zone $binary_remote_addr zone=steward:10m;
limit_conn steward ${atOnce};
limit_conn_status 429;
`,
        )
        return files
      },
    }
  },
}
