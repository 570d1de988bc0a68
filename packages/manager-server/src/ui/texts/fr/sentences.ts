/** What the action table says in English, in French. What is not here is shown as it is. */
export const sentences: Readonly<Record<string, string>> = {
  'Add an instance of a version, or as a clone of another instance, and start it':
    'Créer une instance d’une version, ou comme clone d’une autre, et la démarrer',
  'Name: 3 to 20 letters and digits': 'Nom : 3 à 20 lettres et chiffres',
  'Version, or instance to clone': 'Version, ou instance à cloner',
  'Type of its database': 'Type de sa base de données',
  'Protect it from reset and delete': 'Si elle est protégée de la réinitialisation et de la suppression',
  'Include it in nightly backups (saveall)': 'Si elle est sauvegardée avec toutes les autres',
  'Include it in nightly upgrades (upgradeall)': 'Si elle est mise à niveau avec toutes les autres',
  'Leave it stopped': 'La laisser arrêtée',
  'E-mail address of the person whom it is for': 'Adresse électronique de la personne à qui elle est destinée',
  'First name of that person': 'Prénom de cette personne',
  'Last name of that person': 'Nom de cette personne',
  'Phone number of that person': 'Téléphone de cette personne',
  'Company of that person': 'Société de cette personne',
  'Clone an instance: the same application and data under another name':
    'Cloner une instance : la même application et les mêmes données sous un autre nom',
  'Instance to clone': 'Instance à cloner',
  'Name of the clone': 'Nom du clone',
  'Anonymise it by the rules of this file; it is neutralised, too':
    'L’anonymiser selon les règles de ce fichier ; elle est aussi neutralisée',
  'Give an instance another name': 'Donner un autre nom à une instance',
  'Instance to rename': 'Instance à renommer',
  'Its new name': 'Son nouveau nom',
  'Erase all configuration and data of an instance': 'Effacer toute la configuration et les données d’une instance',
  'Instance to reset': 'Instance à réinitialiser',
  'Version that it becomes (default: its own)': 'Version qu’elle prend (par défaut : la sienne)',
  'Delete an instance': 'Supprimer une instance',
  'Instance to delete': 'Instance à supprimer',
  'Stop it at once, without letting it finish': 'L’arrêter tout de suite, sans la laisser finir',
  'Keep nothing in the trash': 'Ne rien garder dans la corbeille',
  'Keep nothing in the trash of what the instance holds now':
    'Ne rien garder dans la corbeille de ce que l’instance contient maintenant',
  'Bring an instance back from the trash': 'Reprendre une instance de la corbeille',
  'Entry of the trash, or the name it had': 'Entrée de la corbeille, ou le nom qu’elle avait',
  'Entry of the trash, or the name it had; with --restore-points an instance':
    'Entrée de la corbeille, ou le nom qu’elle avait ; avec --restore-points une instance',
  'Name that it gets (default: the one it had)': 'Nom qu’elle reçoit (par défaut : celui qu’elle avait)',
  'Remove what is in the trash for good, with its databases; or restore points of upgrades':
    'Supprimer pour de bon ce qui est dans la corbeille, avec ses bases de données, ou des points de retour',
  'Empty the trash; with --restore-points: of all instances':
    'Vider la corbeille ; avec --restore-points : pour toutes les instances',
  'Remove restore points, so that upgrades cannot be rolled back':
    'Supprimer les points de retour : les mises à niveau ne pourront plus être annulées',
  'Undo the last upgrade of an instance, also one that succeeded':
    'Annuler la dernière mise à niveau d’une instance, même réussie',
  'Do not save the present state first, for when it cannot be saved any more':
    'Ne pas sauvegarder d’abord l’état présent, quand ce n’est plus possible',
  'Start an instance and wait until it is healthy': 'Démarrer une instance et attendre qu’elle soit en bonne santé',
  'Name of the instance': 'Nom de l’instance',
  'Stop an instance': 'Arrêter une instance',
  'Kill it at once': 'La tuer tout de suite',
  'Restart an instance, where possible without downtime':
    'Redémarrer une instance, si possible sans un instant où elle ne répond pas',
  'Start all instances that should run and do not':
    'Démarrer toutes les instances notées en marche et qui ne tournent pas',
  'At most so many at once (default 2)': 'Au plus autant à la fois (par défaut : 2)',
  'Fetch the latest templates of all versions, and upgrade the manager when that is set':
    'Récupérer les derniers modèles de toutes les versions et, si c’est configuré, mettre à niveau le gestionnaire',
  'Do not upgrade the manager itself': 'Ne pas mettre à niveau le gestionnaire lui-même',
  'Bring an instance to the newest template of its version':
    'Amener une instance au modèle le plus récent de sa version',
  'Also when there is nothing newer': 'Même quand il n’y a rien de plus récent',
  'Let the database lose what the new application has no place for, this time':
    'Laisser cette fois la base de données perdre ce que la nouvelle application ne peut plus contenir',
  'Try it with a copy that is removed again, and report what it changes and how long it takes':
    'L’essayer sur une copie qui est ensuite supprimée, et dire ce qui change et combien de temps cela prend',
  'Upgrade all instances that are upgraded automatically (autoupdate)':
    'Mettre à niveau toutes les instances qui le sont automatiquement',
  'Go on with the others after a failure': 'Continuer avec les autres après un échec',
  'Also outside of APPS_WINDOW': 'Même en dehors de APPS_WINDOW',
  'Record a higher version for an instance': 'Noter une version supérieure pour une instance',
  'One of the versions, a higher one': 'Une des versions, supérieure',
  'Save an instance: its database, application and files':
    'Sauvegarder une instance : sa base de données, son application et ses fichiers',
  'Instance to save': 'Instance à sauvegarder',
  'Copy it to these targets, separated by commas; "all": to each that is set':
    'La copier vers ces cibles, séparées par des virgules ; « all » : vers chacune qui est réglée',
  'Also save its settings with their passwords, and the key of its tokens; needs encryption':
    'Sauvegarder aussi ses réglages avec leurs mots de passe et la clé de ses jetons ; exige le chiffrement',
  'Save all instances that are saved automatically (autosave)':
    'Sauvegarder toutes les instances qui le sont automatiquement',
  'How many at the same time (default: APPS_SAVEALL_PARALLEL)':
    'Combien à la fois (par défaut : APPS_SAVEALL_PARALLEL)',
  'Copy them to these targets only, separated by commas; "none": to none (default: all)':
    'Ne les copier que vers ces cibles, séparées par des virgules ; « none » : vers aucune (par défaut : toutes)',
  'Name of an instance, also of one that is gone (default: all)':
    'Nom d’une instance, même disparue (par défaut : toutes)',
  'Those at a target, see "target list" (default: those here)': 'Celles d’une cible (par défaut : celles d’ici)',
  'Read every byte of a backup and compare it with what was saved':
    'Lire chaque octet d’une sauvegarde et le comparer à ce qui a été sauvegardé',
  'Name of the instance, also of one that is gone': 'Nom de l’instance, même disparue',
  'Backup, or the beginning of its name (default: the latest)':
    'Sauvegarde, ou le début de son nom (par défaut : la dernière)',
  'Also look at all that it holds': 'Examiner aussi tout son contenu',
  'Bring a backup from a target into APPS_SAVE_DIR': 'Rapporter une sauvegarde d’une cible dans APPS_SAVE_DIR',
  '<target> for the latest one there, or <target>:<backup or the beginning of its name>':
    '<cible> pour la dernière qui s’y trouve, ou <cible>:<sauvegarde ou le début de son nom>',
  'Copy a backup to targets': 'Copier une sauvegarde vers des cibles',
  'Targets, separated by commas (default: all that are set)':
    'Cibles, séparées par des virgules (par défaut : toutes celles qui sont réglées)',
  'Read every byte back, also where the store tells hashes of its own':
    'Relire chaque octet, même là où le dépôt donne ses propres empreintes',
  'Remove backups that no rule keeps': 'Supprimer les sauvegardes qu’aucune règle ne garde',
  'Check that each instance that is saved automatically has a good and recent backup':
    'Vérifier que chaque instance sauvegardée automatiquement a une bonne sauvegarde, pas trop ancienne',
  'Prove that a backup can be restored: restore it into an instance that is removed again':
    'Éprouver une sauvegarde : la restaurer dans une instance qui est ensuite supprimée',
  '<target> or <target>:<backup>: fetch the copy that is there, and prove it':
    '<cible> ou <cible>:<sauvegarde> : récupérer la copie qui s’y trouve, et l’éprouver',
  'Put an instance back to what a backup holds, or make a new one of it':
    'Remettre une instance dans l’état d’une sauvegarde, ou en faire une nouvelle',
  'Backup, or the beginning of its name, or <other name>/<backup>; at a target <target> or <target>:<backup> (default: the latest one here)':
    'Sauvegarde, ou le début de son nom, ou <autre nom>/<sauvegarde> ; d’une cible <cible> ou <cible>:<sauvegarde> (par défaut : la dernière d’ici)',
  'Make a new instance of this name instead': 'Faire plutôt une nouvelle instance de ce nom',
  'Only data (with database), or only application':
    'Seulement les données (avec la base de données), ou seulement l’application',
  'Type of the database of an instance that is made (default: as it was)':
    'Type de la base de données d’une instance qui est créée (par défaut : comme avant)',
  'Also when it is of a newer version than the instance, or than all that are here':
    'Même quand elle est d’une version plus récente que l’instance, ou que toutes celles d’ici',
  'Id of the operation': 'Identifiant de l’opération',
  'Cancel an operation of the server': 'Annuler ce qui a été demandé au serveur',
  'Protect an instance from reset and delete': 'Protéger une instance de la réinitialisation et de la suppression',
  'Allow reset and delete of an instance again':
    'Permettre à nouveau la réinitialisation et la suppression d’une instance',
  'Include an instance in nightly upgrades (upgradeall)': 'Mettre à niveau l’instance avec toutes les autres',
  'Exclude an instance from nightly upgrades (upgradeall)': 'Ne pas mettre à niveau l’instance avec les autres',
  'Include an instance in nightly backups (saveall)': 'Sauvegarder l’instance avec toutes les autres',
  'Exclude an instance from nightly backups (saveall)': 'Ne pas sauvegarder l’instance avec les autres',
  'Set the custom URL of an instance': 'Régler l’adresse propre d’une instance',
  'Custom URL, http or https': 'Adresse propre, http ou https',
  'Clear the custom URL of an instance': 'Effacer l’adresse propre d’une instance',
  'Keep an instance from sending anything out': 'Ne laisser une instance rien envoyer',
  'Let a neutralised instance send again': 'Laisser à nouveau envoyer une instance neutralisée',
  'Run an instance as a system account of its own': 'Exécuter une instance sous un compte système qui lui est propre',
  'All instances that have no account': 'Toutes les instances sans compte',
  'Let it run as the user of the manager again': 'La laisser à nouveau s’exécuter sous l’utilisateur du gestionnaire',
  'Make the instance that somebody asked for, and tell them its address':
    'Créer l’instance que quelqu’un a demandée, et lui en donner l’adresse',
  'Its number, see "requests"': 'Son numéro, voir les demandes',
  'Name that it gets (default: the one asked for)': 'Nom qu’elle reçoit (par défaut : celui qui a été demandé)',
  'Reject a request for an instance, and tell the person': 'Refuser une demande d’instance, et en informer la personne',
  'Why, for the person to read': 'Pourquoi, pour la personne',
  'Issue certificates over ACME: one for the hosts that are named, or one for each address':
    'Faire émettre un certificat par ACME : un pour tous les hôtes nommés, ou un pour chaque adresse qui n’en a pas',
  'Names of hosts (default: addresses without)': 'Noms d’hôtes (par défaut : les adresses sans certificat)',
  'Now, although it failed a short time ago': 'Maintenant, bien que cela ait échoué il y a peu',
  'Renew certificates that are due, and issue those that are missing':
    'Émettre à nouveau les certificats dont le temps est venu, et ceux qui manquent',
  'Its name, see "certificates" (default: all that are due)':
    'Son nom, voir les certificats (par défaut : tous ceux qui sont à renouveler)',
  'Remove a certificate that was issued, with its key': 'Supprimer un certificat émis, avec sa clé',
  'Its name, see "certificates"': 'Son nom, voir les certificats',
  'Make a token for a program or a person': 'Créer un jeton pour un programme ou une personne',
  'Name of the token': 'Nom du jeton',
  'Of read, operate, admin, sensitive, with commas between (default: read)':
    'Parmi read, operate, admin, sensitive, séparés par des virgules (par défaut : read)',
  'Names of instances, with commas between (default: all)':
    'Noms d’instances, séparés par des virgules (par défaut : toutes)',
  'Days that it holds; 0: for ever (default: 365)': 'Jours de validité ; 0 : sans fin (par défaut : 365)',
  'Remove a token, so that it is valid no longer': 'Supprimer un jeton : il ne vaut plus',
  'Publish the instances by the reverse proxy': 'Accorder ce que sert le serveur mandataire avec les instances',
  'Test what would be published, and change nothing': 'Essayer ce qui serait publié, sans rien changer',
  'Count the rows of each table': 'Compter les lignes de chaque table',
  'Show what the health check of an instance says': 'Montrer ce que dit le contrôle de santé d’une instance',
  'Show address, user and password of the I/O endpoint of an instance':
    'Montrer l’adresse, l’utilisateur et le mot de passe du point d’entrée-sortie d’une instance',
  'Download an instance, or a part of it, as one .tar.gz':
    'Réunir une instance, ou une partie, dans un seul fichier .tar.gz',
  'Verify that the history was not changed': 'Vérifier que personne n’a modifié l’historique',
  'Test a target, check by check': 'Essayer ce qu’une cible sait faire, point par point',
}
