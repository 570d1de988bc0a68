/** First file that systemd passes on. */
const first = 3

/**
 * Files of the sockets that listen in place of this process, as systemd passes them on (`LISTEN_FDS` of sd_listen_fds(3)): no
 * other user can take their places while the program restarts. Works once, and takes the variables from the environment of
 * children.
 */
export function inheritedListeners(environment: NodeJS.ProcessEnv = process.env): readonly number[] {
  const { LISTEN_PID: pid, LISTEN_FDS: count } = environment
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete environment[name]
  if (pid !== String(process.pid)) return []
  return Array.from({ length: Number(count) || 0 }, (_, index) => first + index)
}
