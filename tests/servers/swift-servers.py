"""Runs servers of OpenStack Swift, one replica in one folder: swift-servers.py <folder>

A line of standard input is the name of one to start (`object` is configured by `object-server.conf`), its pid is the
answer. Swift is loaded once and forked, which is much faster than a process each. They end with this process, whatever
ends it.
"""
import ctypes
import os
import signal
import sys

folder = sys.argv[1]
libc = ctypes.CDLL(None)


def build_rings():
    """Swift's map of where data are: all on one device."""
    from configparser import ConfigParser
    from swift.common.ring import RingBuilder

    for kind in ('account', 'container', 'object'):
        conf = ConfigParser(interpolation=None)
        conf.read(f'{folder}/{kind}-server.conf')
        builder = RingBuilder(4, 1, 0)
        builder.add_dev({
            'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'device': 'd1', 'meta': '',
            'ip': '127.0.0.1', 'port': conf.getint('DEFAULT', 'bind_port'),
            'replication_ip': '127.0.0.1', 'replication_port': conf.getint('DEFAULT', 'bind_port'),
        })
        builder.rebalance(seed='steward')
        builder.get_ring().save(f'{folder}/{kind}.ring.gz')


def run(name):
    """In a child: is a server until it is killed."""
    pr_set_pdeathsig = 1
    libc.prctl(pr_set_pdeathsig, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    from swift.common.wsgi import run_wsgi

    kind = name.split('-')[-1]
    os._exit(run_wsgi(f'{folder}/{name}-server.conf', f'{kind}-server', verbose=True) or 0)


# Loading setuptools' distutils takes longer than loading Swift; Python has its own up to 3.11. Names are not looked up.
if sys.version_info < (3, 12) and '_distutils_hack' in sys.modules:
    sys.modules['_distutils_hack'].remove_shim()
os.environ['EVENTLET_NO_GREENDNS'] = 'yes'

# Each server would do it after the fork, when there are many objects to search: that takes most of its start.
import eventlet
eventlet.monkey_patch(all=False, socket=True, select=True, thread=True)

from swift.common import constraints, storage_policy, utils

# The only way to keep it out of /etc/swift.
utils.SWIFT_CONF_FILE = f'{folder}/swift.conf'
utils.HASH_PATH_PREFIX, utils.HASH_PATH_SUFFIX = b't', b't'
storage_policy.reload_storage_policies()
constraints.reload_constraints()
if not os.path.exists(f'{folder}/object.ring.gz'):
    build_rings()
import swift.account.server
import swift.container.server
import swift.obj.server
import swift.proxy.server

# Those that ended need no one to ask for how.
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while line := sys.stdin.readline():
    pid = os.fork()
    if pid == 0:
        run(line.strip())
    print(pid, flush=True)
