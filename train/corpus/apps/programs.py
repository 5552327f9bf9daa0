# SPDX-License-Identifier: Apache-2.0
"""Debian's programs that write sites: each function fills a program with text and yields (path,
bytes) of its pages. Programs that are only scripts are unpacked, not installed. To be installed:
fossil php-cli php-sqlite3 php-mysql php-xml php-mbstring php-intl php-gd mariadb-server-core
mariadb-client-core php-geshi php-phpseclib libphp-simplepie php-random-compat php-getid3 pelican jekyll
jekyll-theme-minima ikiwiki chronicle mhonarc."""
import contextlib
import hashlib
import html
import json
import os
import random
import re
import shutil
import socket
import subprocess
import textwrap
import time
import urllib.error
import urllib.parse
import urllib.request

import labels
import texts

CANDIDATES = 50
DATE = 1577880000


class Story:
    """The text of a site: titles, articles, posts, names; by the site's name."""

    def __init__(self, row, source):
        self.lang, self.source = row['lang'], source
        self.rng = random.Random(row['site'])
        self.brand = texts.brand(self.rng)
        self.people = [texts.person(self.rng) for _ in range(12)]
        self.nicks = [texts.nick(self.rng) for _ in range(12)]
        self.topics = self.rng.sample(texts.TOPICS[self.lang], 8)
        self.used = {'sandbox', 'main page'}

    def title(self):
        """A title that the site does not have yet, without characters that wikis forbid."""
        while True:
            entry = self.rng.choice(self.source.entries[self.lang])
            title = entry[0] if self.rng.random() < .4 else self.rng.choice(self.source.headlines[self.lang])
            title = re.sub(r'[^\w ,.-]', '', title).strip(' .,-')
            title = title[:1].upper() + title[1:]
            if len(title) > 3 and title.lower() not in self.used:
                self.used.add(title.lower())
                return title

    def post(self):
        return self.rng.choice(self.source.posts[self.lang])

    def paragraphs(self, least, most):
        return self.rng.sample(self.source.paragraphs[self.lang], self.rng.randint(least, most))

    def blocks(self):
        """The parts of an article: (kind, text or texts)."""
        for i in range(self.rng.randint(1, 5)):
            if i:
                yield 'head', self.rng.choice(self.source.headlines[self.lang])
            for p in self.paragraphs(1, 3):
                yield 'text', p
            if self.rng.random() < .3:
                yield 'list', [self.post() for _ in range(self.rng.randint(2, 5))]
            if self.rng.random() < .15:
                yield 'quote', self.post()
            if self.rng.random() < .15:
                yield 'table', [(self.rng.choice(texts.PLACES), str(self.rng.randint(1, 999)), texts.price(self.rng, 0))
                                for _ in range(4)]

    def seconds(self):
        return DATE + self.rng.randrange(150 * 10**6)


def plain(text):
    """A text without characters that markup gives a meaning."""
    return re.sub(r'[*_`<>\[\]|#~^{}=\'\\]', '', text).lstrip('-+:;!> .0123456789')


def markup(story, head, item='* ', quote='> %s', cell='| %s '):
    out = []
    for kind, content in story.blocks():
        if kind == 'list':
            out.append('\n'.join(item + plain(t) for t in content))
        elif kind == 'table':
            rows = [''.join(cell % c for c in row) + cell.strip()[0] for row in content]
            out.append('\n'.join(rows[:1] + (['|---|---|---|'] if cell == '| %s ' and head == '## %s' else []) +
                                 rows[1:]))
        else:
            out.append({'head': head, 'text': '%s', 'quote': quote}[kind] % plain(content))
    return '\n\n'.join(out)


def run(*command, **kw):
    """Runs a program; its error message becomes the exception's."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, **kw)
    if done.returncode:
        raise ValueError('%s: %s' % (' '.join(command[:3]), done.stdout.decode('utf-8', 'replace')[-400:]))
    return done.stdout


@contextlib.contextmanager
def serving(command, port, **kw):
    """A server of this machine only; stopped at the end."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                if isinstance(port, int):
                    socket.create_connection(('127.0.0.1', port), 1).close()
                else:
                    with socket.socket(socket.AF_UNIX) as s:
                        s.connect(port)
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > until:
                    raise ValueError('%s does not start' % command[0])
                time.sleep(.1)
        yield
    finally:
        server.terminate()
        server.wait()


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def fetched(port, paths, forget=()):
    """(path, bytes) of pages of a server; what forget matches changes from run to run."""
    for path in paths:
        with urllib.request.urlopen('http://127.0.0.1:%d/%s' % (port, path), timeout=60) as answer:
            data = answer.read().replace(b':%d' % port, b'')
        for pattern, by in forget:
            data = re.sub(pattern, by, data, flags=re.S)
        yield path, data


def copied(package, folder, debs, work):
    """A copy of a package's folder, in which a program may write."""
    into = os.path.join(work, package)
    shutil.copytree(os.path.join(labels.unpack(package, debs), folder), into, symlinks=True)
    return into


def files(top, wanted='.'):
    """(path, bytes) of the pages below a directory, in a random but fixed order."""
    found = [
        os.path.relpath(os.path.join(folder, name), top)
        for folder, _, names in os.walk(top)
        for name in names
        if name.endswith('.html')
    ]
    for path in sorted(found, key=lambda path: hashlib.md5(path.encode()).hexdigest()):
        if re.search(wanted, path):
            with open(os.path.join(top, path), 'rb') as f:
                yield path, f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


# --- fossil: forum, wiki and tickets ---


def artifact(work, cards):
    """Adds a record to the repository that is open in work; its name."""
    body = '\n'.join(cards) + '\n'
    body += 'Z %s\n' % hashlib.md5(body.encode()).hexdigest()
    write(os.path.join(work, 'record'), body)
    run('fossil', 'test-content-put', 'record', cwd=work, env=dict(os.environ, HOME=work, USER='admin'))
    return hashlib.sha3_256(body.encode()).hexdigest()


def escaped(text):
    return text.replace('\\', '\\\\').replace(' ', '\\s').replace('\n', '\\n')


def fossil_records(story, work):
    """Paths of the pages of threads, wiki pages and tickets."""
    r = story.rng

    def stamp(seconds):
        return 'D ' + time.strftime('%Y-%m-%dT%H:%M:%S.000', time.gmtime(seconds))

    def body(text):
        return ['U ' + escaped(r.choice(story.nicks)), 'W %d' % len(text.encode()), text]

    for _ in range(24):
        at, text = story.seconds(), '\n\n'.join(plain(story.post()) for _ in range(r.randint(1, 3)))
        first = last = artifact(work, [stamp(at), 'H ' + escaped(story.title()), 'N text/x-markdown', *body(text)])
        for i in range(r.choice((0, 1, 2, 4, 6, 9))):
            text = plain(story.post())
            last = artifact(work, [
                stamp(at + 3600 * (i + 1)), 'G ' + first, 'I ' + r.choice(
                    (first, last)), 'N text/x-markdown', *body(text)
            ])
        yield 'forumpost/' + first[:16]
    for _ in range(10):
        title = story.title()
        artifact(work,
                 [stamp(story.seconds()), 'L ' + escaped(title), 'N text/x-markdown', *body(markup(story, '## %s'))])
        yield 'wiki?name=' + urllib.parse.quote_plus(title)
    for _ in range(12):
        key = hashlib.sha1(str(r.random()).encode()).hexdigest()
        fields = {
            'icomment': '\n\n'.join(story.post() for _ in range(r.randint(2, 4))), 'login': r.choice(story.nicks),
            'mimetype': 'text/plain', 'priority': 'Medium', 'severity': r.choice(
                ('Critical', 'Minor')), 'status': r.choice(('Open', 'Closed', 'Verified')),
            'subsystem': r.choice(story.topics), 'title': story.title(), 'type': r.choice(
                ('Code_Defect', 'Feature_Request'))
        }
        artifact(work, [
            stamp(story.seconds()), *('J %s %s' % (k, escaped(v))
                                      for k, v in sorted(fields.items())), 'K ' + key, 'U ' + r.choice(story.nicks)
        ])
        yield 'tktview/' + key


def fossil(row, story, debs, work):
    env = dict(os.environ, HOME=work, USER='admin')
    repository = os.path.join(work, 'site.fossil')
    run('fossil', 'new', repository, '--admin-user', 'admin', env=env)
    run('fossil', 'open', '--nested', repository, cwd=work, env=env)
    run('fossil', 'user', 'capabilities', 'nobody', 'jorwhz2', '-R', repository, env=env)
    run('fossil',
        'sql',
        '-R',
        repository,
        "REPLACE INTO config(name, value, mtime) VALUES ('project-name', '%s', 0)" % story.brand,
        env=env)
    paths = list(fossil_records(story, work))
    run('fossil', 'rebuild', repository, env=env)
    for path in paths + ['forum', 'wcontent']:
        request = 'GET /%s HTTP/1.0\r\nHost: localhost\r\n\r\n' % path
        answer = run('fossil', 'http', repository, '--skin', row['arguments'], input=request.encode(), env=env)
        data = answer.partition(b'\r\n\r\n')[2]
        for pattern, by in ((rb'nonce(=["\']|-)\w+', rb'nonce\1x'), (rb'projectCode: "\w+"', b'projectCode: "x"'),
                            (rb'(generated in about\s+)[0-9.]+s', rb'\g<1>0.010s')):
            data = re.sub(pattern, by, data)
        yield path, data


# --- wikis ---


def mediawiki(row, story, debs, work):
    top = copied('mediawiki', 'usr/share/mediawiki', debs, work)
    for name in ('LocalSettings.php', 'config', 'images', 'extensions'):
        os.unlink(os.path.join(top, name))
    os.rename(os.path.join(top, 'extensions-core'), os.path.join(top, 'extensions'))
    for name in ('config', 'images', '../database'):
        os.mkdir(os.path.join(top, name))
    classes = os.path.join(labels.unpack('mediawiki-classes', debs), 'usr/share/mediawiki')
    shutil.copytree(classes, top, symlinks=True, dirs_exist_ok=True)
    port = free_port()
    run('php',
        'maintenance/install.php',
        '--dbtype',
        'sqlite',
        '--dbpath',
        os.path.join(work, 'database'),
        '--dbname',
        'wiki',
        '--pass',
        'made-for-a-corpus',
        '--scriptpath',
        '',
        '--server',
        'http://127.0.0.1:%d' % port,
        '--lang',
        row['lang'],
        '--skins',
        'Vector,MonoBook,Timeless,MinervaNeue',
        story.brand,
        'Admin',
        cwd=top)
    names = []
    for _ in range(CANDIDATES):
        title = story.title()
        text = markup(story, '== %s ==', quote='<blockquote>%s</blockquote>', cell='%s; ') + '\n\n' + ' '.join(
            '[[Category:%s]]' % t for t in story.rng.sample(story.topics, 2))
        path = os.path.join(work, 'text', title + '.txt')
        write(path, text)
        seconds = story.seconds()
        os.utime(path, (seconds, seconds))
        names.append(title)
    run('php',
        'maintenance/importTextFiles.php',
        '--use-timestamp',
        *(os.path.join(work, 'text', n + '.txt') for n in names),
        cwd=top)
    with serving(['php', '-S', '127.0.0.1:%d' % port, '-t', top], port):
        yield from fetched(port, [
            'index.php?title=%s&useskin=%s' % (urllib.parse.quote(n.replace(' ', '_')), row['arguments']) for n in names
        ], ((rb'<!--.*?-->', b''), (rb'"wg(RequestId|BackendResponseTime)":("?[\w.-]+"?)', rb'"wg\1":0')))


def dokuwiki(row, story, debs, work):
    top = copied('dokuwiki', 'usr/share/dokuwiki', debs, work)
    package = labels.unpack('dokuwiki', debs)
    os.unlink(os.path.join(top, 'lib/plugins'))
    os.unlink(os.path.join(top, 'lib/tpl'))
    for name in ('plugins', 'tpl'):
        shutil.copytree(os.path.join(package, 'var/lib/dokuwiki/lib', name), os.path.join(top, 'lib', name))
    shutil.copytree(os.path.join(package, 'var/lib/dokuwiki/data'), os.path.join(top, 'data'))
    shutil.copytree(os.path.join(package, 'etc/dokuwiki'), os.path.join(top, 'conf'), symlinks=True)
    write(os.path.join(top, 'inc/preload.php'), "<?php define('DOKU_CONF', __DIR__ . '/../conf/');")
    names = []
    for _ in range(CANDIDATES):
        title = story.title()
        name = re.sub(r'\W+', '_', title.lower())
        write(os.path.join(top, 'data/pages', name + '.txt'),
              '====== %s ======\n\n' % title + markup(story, '===== %s =====', item='  * '))
        seconds = story.seconds()
        os.utime(os.path.join(top, 'data/pages', name + '.txt'), (seconds, seconds))
        names.append(name)
    if row['arguments'] == 'sidebar':
        write(os.path.join(top, 'data/pages/sidebar.txt'), '\n'.join('  * [[%s]]' % n for n in names[:12]))
    write(
        os.path.join(top, 'conf/local.php'),
        "<?php\n$conf['title'] = '%s';\n$conf['savedir'] = './data';\n$conf['useacl'] = 0;\n$conf['lang'] = '%s';\n" %
        (story.brand, row['lang']))
    port = free_port()
    with serving(['php', '-S', '127.0.0.1:%d' % port, '-t', top], port):
        yield from fetched(port, ['doku.php?id=' + urllib.parse.quote(n) for n in names],
                           ((rb'&amp;\d{10}', b''), (rb'sectok=\w*', b'')))


# --- WordPress ---


def block_markup(story):
    """An article in the markup of WordPress's editor."""
    out = []
    for kind, content in story.blocks():
        if kind == 'list':
            out.append('<!-- wp:list --><ul>%s</ul><!-- /wp:list -->' % ''.join('<li>%s</li>' % html.escape(t)
                                                                                for t in content))
        elif kind == 'table':
            rows = ''.join('<tr>%s</tr>' % ''.join('<td>%s</td>' % c for c in row) for row in content)
            out.append(
                '<!-- wp:table --><figure class="wp-block-table"><table><tbody>%s</tbody></table></figure>'
                '<!-- /wp:table -->'
                % rows)
        else:
            form = {
                'head': '<!-- wp:heading --><h2>%s</h2><!-- /wp:heading -->',
                'text': '<!-- wp:paragraph --><p>%s</p><!-- /wp:paragraph -->',
                'quote': '<!-- wp:quote --><blockquote class="wp-block-quote"><p>%s</p></blockquote><!-- /wp:quote -->'
            }[kind]
            out.append(form % html.escape(content, quote=False))
    return '\n\n'.join(out)


def wordpress_story(row, story):
    r = story.rng

    def stamp():
        return time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(story.seconds()))

    theme, _, excerpts = row['arguments'].partition(',')
    posts = []
    for i in range(CANDIDATES - 8):
        comments = [
            dict(author=r.choice(story.nicks), text=story.post(), date=stamp(), reply=r.random() < .3)
            for _ in range(r.choice((0, 0, 1, 2, 5)))
        ]
        posts.append(
            dict(title=story.title(),
                 text=block_markup(story),
                 excerpt=story.post() if excerpts else '',
                 date=stamp(),
                 type='page' if i % 10 == 9 else 'post',
                 author=r.randrange(5),
                 categories=r.sample(range(8), r.randint(1, 2)),
                 tags=r.sample(texts.NOUNS[story.lang], r.randint(0, 4)),
                 comments=comments))
    widgets = r.sample(
        ['search', 'recent-posts', 'recent-comments', 'categories', 'archives', 'tag_cloud', 'text', 'meta'],
        r.randint(3, 6))
    return dict(brand=story.brand,
                motto=r.choice(story.source.headlines[story.lang]),
                theme=theme,
                people=story.people[:5],
                bios=[story.post() for _ in range(3)],
                topics=[dict(name=t, text=story.post() if r.random() < .5 else '') for t in story.topics],
                posts=posts,
                widgets=widgets)


def wordpress(row, story, debs, work):
    top = copied('wordpress', 'usr/share/wordpress', debs, work)
    theme = row['arguments'].partition(',')[0]
    shutil.copytree(
        os.path.join(labels.unpack('wordpress-theme-' + theme, debs), 'usr/share/wordpress/wp-content/themes', theme),
        os.path.join(top, 'wp-content/themes', theme))
    data, sock, port = os.path.join(work, 'database'), os.path.join(work, 'socket'), free_port()
    run('mariadb-install-db', '--no-defaults', '--user=root', '--datadir=' + data, '--skip-test-db',
        '--auth-root-authentication-method=normal')
    write(
        os.path.join(top, 'wp-config.php'), """<?php
define('DB_NAME', 'site'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:%s');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true);
define('WP_SITEURL', 'http://127.0.0.1:%d'); define('WP_HOME', WP_SITEURL);
$table_prefix = 'wp_';
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
""" % (sock, port))
    write(os.path.join(work, 'story.json'), json.dumps(wordpress_story(row, story)))
    with serving([
            'mariadbd', '--no-defaults', '--user=root', '--datadir=' + data, '--socket=' + sock, '--skip-networking',
            '--pid-file=' + data + '/pid'
    ], sock):
        run('mariadb', '--no-defaults', '-uroot', '-S', sock, '-e', 'create database site')
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'wordpress.php')
        done = subprocess.run(['php', '-d', 'sendmail_path=/bin/true', script, top,
                               os.path.join(work, 'story.json')],
                              check=True,
                              stdout=subprocess.PIPE,
                              timeout=300)
        paths = re.findall(r'^\?\S+$', done.stdout.decode(), re.M)
        with serving(['php', '-S', '127.0.0.1:%d' % port, '-t', top], port):
            random.Random(row['site']).shuffle(paths)
            yield from fetched(port, paths)


# --- generators of static sites, and an archive of mail ---


def posts(story, count=CANDIDATES - 5):
    """(title, name of file, date, topic, text in Markdown) of articles."""
    for _ in range(count):
        title = story.title()
        yield title, re.sub(r'\W+', '-', title.lower()).strip('-'), time.strftime(
            '%Y-%m-%d', time.gmtime(story.seconds())), story.rng.choice(story.topics), markup(story, '## %s')


def pelican(row, story, debs, work):
    for title, name, date, topic, text in posts(story):
        write(
            '%s/content/%s.rst' % (work, name), '%s\n%s\n\n:date: %s\n:category: %s\n:author: %s\n:tags: %s\n\n%s\n' %
            (title, '#' * 3 * len(title), date, topic, story.rng.choice(story.people), ', '.join(
                story.rng.sample(story.topics, 2)), re.sub(r'(?m)^(## .*|\|.*|> )', '', text)))
    write(
        work + '/conf.py',
        "SITENAME = %r\nTIMEZONE = 'UTC'\nDEFAULT_LANG = %r\nTHEME = 'simple'\nDEFAULT_PAGINATION = 8\n"
        % (story.brand, row['lang']))
    run('pelican', 'content', '-s', 'conf.py', '-o', 'output', cwd=work)
    yield from files(work + '/output', r'^(?!archives|authors|categories|tags)')


def jekyll(row, story, debs, work):
    for title, name, date, topic, text in posts(story):
        write(
            '%s/_posts/%s-%s.md' % (work, date, name),
            '---\nlayout: post\ntitle: "%s"\nauthor: %s\ncategories: %s\n---\n%s\n' %
            (title, story.rng.choice(story.people), topic.lower(), text))
    write(work + '/index.md', '---\nlayout: home\n---\n')
    for topic in story.topics[:4]:
        write('%s/%s.md' % (work, topic.lower()),
              '---\nlayout: page\ntitle: %s\n---\n%s\n' % (topic, markup(story, '## %s')))
    write(
        work + '/_config.yml', 'title: %s\ndescription: >\n  %s\ntheme: minima\nlang: %s\n%sexclude: [_site]\n' %
        (story.brand, story.post(), row['lang'], 'show_excerpts: true\n' if row['arguments'] == 'excerpts' else ''))
    run('jekyll',
        'build',
        '--disable-disk-cache',
        cwd=work,
        env=dict(os.environ, LANG='C.UTF-8', JEKYLL_ENV='development'))
    yield from files(work + '/_site')


def ikiwiki(row, story, debs, work):
    links = []

    def source(name, text):
        write('%s/source/%s.mdwn' % (work, name), text)
        os.utime('%s/source/%s.mdwn' % (work, name), (DATE, DATE))

    for title, name, date, topic, text in posts(story):
        source(
            'posts/' + name, '[[!meta title="%s"]]\n[[!meta date="%s"]]\n[[!meta author="%s"]]\n[[!tag %s]]\n\n%s\n' %
            (title, date, story.rng.choice(story.people), topic, text))
        links.append(' * [[%s|posts/%s]]' % (title, name))
    inline = '[[!inline pages="posts/* and !*/Discussion%s" show=8 archive=%s]]\n'
    source('index', '[[!meta title="%s"]]\n' % story.brand + inline % ('', 'no'))
    source('archive', inline % ('', 'yes'))
    for topic in story.topics:
        source('tags/' + topic, inline % (' and link(tags/%s)' % topic, 'no'))
    source('sidebar', '\n'.join(story.rng.sample(links, 8)) + '\n\n' + plain(story.post()))
    theme = ['--plugin', 'theme', '--set', 'theme=' + row['arguments']] if row['arguments'] else []
    run('ikiwiki',
        'source',
        'output',
        '--url',
        'http://localhost',
        '--wikiname',
        story.brand,
        '--plugin',
        'sidebar',
        '--plugin',
        'tag',
        '--plugin',
        'meta',
        '--plugin',
        'inline',
        '--set',
        'tagbase=tags',
        '--set',
        'timezone=UTC',
        '--set',
        'libdir=' + work,
        '--no-rcs',
        *theme,
        cwd=work,
        env=dict(os.environ, HOME=work, LANG='C.UTF-8'))
    yield from files(work + '/output', r'^(index|archive|posts|tags)')


def mhonarc(row, story, debs, work):
    r, mail, ids = story.rng, [], []
    for i in range(CANDIDATES):
        name, at = r.choice(story.people), DATE + 7200 * i
        new = not ids or r.random() < .4
        parent, subject = (None, story.title()) if new else r.choice(ids[-6:])
        ids.append(('<%d@lists.example.org>' % i, subject))
        head = [
            'From %s@example.org %s' %
            (name.split()[0].lower(), time.strftime('%a %b %d %H:%M:%S %Y', time.gmtime(at))),
            'Message-ID: <%d@lists.example.org>' % i,
            'Date: ' + time.strftime('%a, %d %b %Y %H:%M:%S +0000', time.gmtime(at)),
            'From: %s <%s@example.org>' % (name, name.split()[0].lower()),
            'To: %s@lists.example.org' % story.brand.lower(), 'Subject: ' + ('' if new else 'Re: ') + subject,
            'Content-Type: text/plain; charset=utf-8'
        ]
        if not new:
            head.append('In-Reply-To: ' + parent)
        quote = ['> ' + line for line in textwrap.wrap(story.post(), 68)] + [''] if not new else []
        body = [
            line for _ in range(r.randint(1, 4))
            for line in textwrap.wrap(r.choice((story.post(), *story.paragraphs(1, 1))), 72) + ['']
        ]
        mail.append('\n'.join(head + [''] + quote + body + ['-- ', name]))
    write(work + '/mbox', '\n\n'.join(mail) + '\n')
    os.mkdir(work + '/output')
    run('mhonarc',
        '-quiet',
        '-outdir',
        work + '/output',
        '-umask',
        '022',
        '-idxsize',
        '25',
        '-multipg',
        work + '/mbox',
        env=dict(os.environ, HOME=work, TZ='UTC'))
    for path, data in files(work + '/output'):
        yield path, re.sub(rb'Mail converted by.*?</address>', b'</address>', data, flags=re.S)


def chronicle(row, story, debs, work):
    for _ in range(CANDIDATES - 5):
        title = story.title()
        text = re.sub('<!--.*?-->', '', block_markup(story))
        write(
            '%s/input/%s.txt' % (work, re.sub(r'\W+', '-', title)),
            'Title: %s\nDate: %s\nTags: %s\n\n%s\n' % (title, time.strftime('%Y-%m-%d', time.gmtime(
                story.seconds())), ', '.join(t.lower() for t in story.rng.sample(story.topics, 2)), text))
    write(
        work + '/rc', 'blog_title = %s\nblog_subtitle = %s\nurl_prefix = http://localhost/\nentry_count = 8\n' %
        (story.brand, plain(story.rng.choice(story.source.headlines['en']))))
    run('chronicle',
        '--config=' + work + '/rc',
        '--input=' + work + '/input',
        '--output=' + work + '/output',
        '--theme-dir=/usr/share/chronicle/themes',
        '--theme=' + row['arguments'],
        '--force',
        '--no-cache',
        cwd=work,
        env=dict(os.environ, HOME=work, LANG='C.UTF-8', PERL_HASH_SEED='0'))
    yield from files(work + '/output')
