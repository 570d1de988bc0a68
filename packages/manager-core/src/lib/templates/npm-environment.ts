/**
 * For `npm` as a user would call it: without what an npm that runs this program says about itself, which would lead the
 * other one to its folder.
 */
export const npmEnvironment: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^npm_(package_|lifecycle_|command$|execpath$|node_execpath$)/i.test(name))
      .map((name) => [name, undefined]),
  ),
  npm_config_local_prefix: undefined,
  npm_config_prefix: undefined,
  npm_config_workspace: undefined,
  npm_config_workspaces: undefined,
  INIT_CWD: undefined,
  NO_UPDATE_NOTIFIER: '1',
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
}
