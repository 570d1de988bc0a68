"""Runs a Keystone with a few users: keystone-server.py <folder> <port> <address of the proxy of Swift>

All in one process, as loading it is what takes long. <folder> has its `keystone.conf`.
"""
import base64
import os
import sqlite3
import sys
import types

folder, port, swift = sys.argv[1:]
sys.argv = sys.argv[:1]

for name in ('fernet', 'credential'):
    os.mkdir(f'{folder}/{name}', 0o700)
    # The staged and the primary one.
    for number in '01':
        with open(f'{folder}/{name}/{number}', 'wb') as file:
            file.write(base64.urlsafe_b64encode(os.urandom(32)))
# Its requests and what they start otherwise wait for each other's locks.
database = sqlite3.connect(f'{folder}/keystone.db')
database.execute('pragma journal_mode=wal')
database.close()

# Nobody logs in by SAML: reading its schemas is a quarter of what loading Keystone takes.
saml_schemas = types.ModuleType('saml2.xml.schema')
saml_schemas.__getattr__ = lambda name: Exception
sys.modules[saml_schemas.__name__] = saml_schemas

from keystone.server.flask import core
application = core.initialize_application(name='public', config_files=[f'{folder}/keystone.conf'])

from keystone.cmd import bootstrap
from keystone.common import provider_api, sql

with sql.session_for_write() as session:
    engine = session.get_bind()
sql.ModelBase.metadata.create_all(engine)
# The backends are loaded already.
bootstrap.backends.load_backends = lambda: None
first = bootstrap.Bootstrapper()
first.admin_username, first.admin_password, first.project_name = 'admin', 'adminpw', 'admin'
first.admin_role_name, first.service_name, first.region_id = 'admin', 'keystone', 'RegionOne'
first.public_url = first.internal_url = first.admin_url = f'http://127.0.0.1:{port}/v3'
first.bootstrap()

providers = provider_api.ProviderAPIs


def add_user(name, password):
    user = {'name': name, 'password': password, 'domain_id': 'default', 'enabled': True}
    return providers.identity_api.create_user(user)['id']


def add_project(name):
    project = {'id': name, 'name': name, 'domain_id': 'default', 'description': '', 'enabled': True, 'is_domain': False}
    return providers.resource_api.create_project(name, project)['id']


providers.role_api.create_role('swiftoperator', {'id': 'swiftoperator', 'name': 'swiftoperator'})
backups, service = add_project('backups'), add_project('service')
user = add_user('bk', 'bkpw')
providers.assignment_api.create_grant('swiftoperator', user_id=user, project_id=backups)
providers.assignment_api.create_grant(first.admin_role_id, user_id=add_user('swift', 'swiftpw'), project_id=service)
credential = {
    'id': 'backupcredential', 'name': 'backups', 'secret': 'credentialpw', 'user_id': user, 'project_id': backups,
    'roles': [{'id': 'swiftoperator'}], 'unrestricted': False, 'description': '', 'expires_at': None,
}
providers.application_credential_api.create_application_credential(credential)
providers.catalog_api.create_service('store', {'id': 'store', 'type': 'object-store', 'name': 'swift', 'enabled': True})
for interface in ('public', 'internal', 'admin'):
    providers.catalog_api.create_endpoint(interface, {
        'id': interface, 'interface': interface, 'region_id': 'RegionOne', 'service_id': 'store', 'enabled': True,
        'url': f'{swift}/v1/AUTH_%(project_id)s',
    })

from wsgiref.simple_server import WSGIRequestHandler, make_server


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


make_server('127.0.0.1', int(port), application, handler_class=QuietHandler).serve_forever()
