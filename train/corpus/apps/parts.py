# SPDX-License-Identifier: Apache-2.0
"""The frame of made pages, and what all kinds of site share: how a site writes its elements, its
header, menus, sidebar and footer. An element that its maker labels has the attribute data-gold."""
import hashlib
import json
import random
import re

import lxml.html
from lxml.builder import ElementMaker

import labels
import texts

GOLD = re.compile(rb' data-gold="[CTI]"')
E = ElementMaker()
# How many products or articles a site has.
ITEMS = 160
UTILITIES = (
    'flex block grid flex-col flex-wrap items-center justify-between gap-2 gap-4 p-2 p-4 px-6 py-3 m-0 mt-4 mb-6 '
    'mx-auto w-full max-w-7xl text-sm text-lg text-gray-700 font-bold bg-white rounded shadow border md:w-1/2 lg:flex '
    'hover:underline relative overflow-hidden').split()
BOOTSTRAP = ('row col col-md-4 col-lg-8 container d-flex mb-3 mt-4 p-3 card h-100 text-muted btn list-unstyled '
             'small').split()
# Names that sites give to the same part.
ROLES = {
    'main': 'main content primary page-content main-content site-content',
    'header': 'header site-header masthead top page-header',
    'footer': 'footer site-footer page-footer colophon bottom',
    'nav': 'nav main-nav menu navigation navbar primary-menu megamenu',
    'crumbs': 'breadcrumb breadcrumbs crumbs path you-are-here',
    'side': 'sidebar aside secondary left-col rail widget-area',
    'widget': 'widget box block module panel portlet',
    'related': 'related related-products also-like recommendations cross-sell upsell more-from similar',
    'newsletter': 'newsletter signup subscribe mailing-list email-form',
    'cookies': 'cookie-notice consent gdpr cc-banner cookie-bar',
    'card': 'card item product product-item tile teaser entry list-item',
    'grid': 'grid products items list results cards collection',
    'facets': 'filters facets refine layered-nav filter-panel',
    'pager': 'pagination pager page-numbers paging nav-links',
    'price': 'price amount product-price cost current-price',
    'title': 'title name headline heading product-title entry-title',
    'text': 'description body text content entry-content rte prose copy',
    'specs': 'specs specifications attributes data-sheet features properties',
    'post': 'post message comment reply entry thread-item',
    'author': 'author user poster byline username profile',
    'signature': 'signature sig post-signature user-sig',
    'comments': 'comments discussion responses replies',
    'share': 'share social social-share sharing addthis',
    'review': 'review customer-review testimonial rating-item',
}
WORDS = {
    'en': dict(
        home='Home|Start|Homepage',
        search='Search|Search...|Find|What are you looking for?',
        cart='Cart|Basket|Bag|Your cart (0)',
        account='Account|Sign in|My account|Log in',
        more='Read more|More|Continue reading|Learn more|Details',
        next='Next|Next »|Older|›',
        prev='Previous|« Prev|Newer|‹',
        add='Add to cart|Add to basket|Buy now|Add to bag',
        stock='In stock|Available|Ships today|Only 3 left',
        related='You may also like|Related products|Customers also bought|Similar items|More from this brand',
        desc='Description|About this item|Product details|Overview',
        specs='Specifications|Technical data|Specs|Product information',
        reviews='Customer reviews|Reviews|What customers say',
        news='Newsletter|Stay in touch|Subscribe to our newsletter|Get 10% off your first order',
        newstext=
        'Be the first to hear about offers and news. You can unsubscribe at any time.|No spam, we promise.|'
        'Enter your email address to receive our weekly digest.',
        cookies=
        'We use cookies to improve your experience on this site. By continuing you accept our cookie policy.|'
        'This website uses cookies. Some are necessary, others help us to understand how you use the site.',
        accept='Accept all|OK|Agree|Got it',
        share='Share|Share this|Share on Facebook|Tweet|Email a friend',
        reply='Reply|Quote|Answer',
        report='Report|Flag',
        sort='Sort by|Order by|Sort:',
        filter='Filter|Refine results|Filters|Narrow by',
        found='products|results|items found',
        about=
        'About us|Contact|Imprint|Terms of service|Privacy policy|Help|Careers|Press|Shipping|Returns|FAQ|'
        'Site map|Accessibility|Advertise|Partners|Gift cards|Size guide|Track order|Stores|Blog|'
        'Community guidelines',
        rights='All rights reserved.|All trademarks belong to their owners.',
        popular='Popular|Most read|Trending now|Latest|Recent posts|Top sellers',
        comments='Comments|Leave a reply|Join the discussion|Responses',
        by='By|by|Written by|Posted by',
        tags='Tags|Filed under|Topics',
        ad='Advertisement|Sponsored|Ad',
        skip='Skip to content|Skip to main content',
        back='Back to top|Top',
        ship='Free shipping on orders over $50|Free returns within 30 days|Order before 4 pm for delivery tomorrow',
        members='Member|Senior member|Administrator|Newbie|Veteran|Moderator',
        posts='Posts|Messages',
        joined='Joined|Registered|Member since',
        location='Location|From',
        wrote='wrote|said|schrieb',
        views='views|replies|likes',
        contact='Contact us|Get in touch|Get started|Request a quote|Book a demo|Start free trial',
        similar='Similar threads|Related topics|Suggested topics',
        faq='Frequently asked questions|FAQ|Questions and answers'),
    'de': dict(
        home='Startseite|Home',
        search='Suche|Suchbegriff eingeben',
        cart='Warenkorb|Einkaufswagen (0)',
        account='Anmelden|Mein Konto',
        more='Mehr lesen|Weiterlesen|Details',
        next='Weiter|Nächste »',
        prev='Zurück|« Vorige',
        add='In den Warenkorb|Jetzt kaufen',
        stock='Auf Lager|Sofort lieferbar',
        related='Das könnte Ihnen auch gefallen|Ähnliche Artikel|Kunden kauften auch',
        desc='Beschreibung|Produktdetails',
        specs='Technische Daten|Eigenschaften',
        reviews='Kundenbewertungen|Bewertungen',
        news='Newsletter|Newsletter abonnieren',
        newstext='Keine Angebote mehr verpassen. Abmeldung jederzeit möglich.',
        cookies='Diese Website verwendet Cookies. Mit der Nutzung stimmen Sie der Verwendung zu.',
        accept='Akzeptieren|Einverstanden',
        share='Teilen|Artikel teilen|Weiterempfehlen',
        reply='Antworten|Zitieren',
        report='Melden',
        sort='Sortieren nach|Sortierung',
        filter='Filter|Ergebnisse eingrenzen',
        found='Artikel|Treffer',
        about=
        'Über uns|Kontakt|Impressum|AGB|Datenschutz|Hilfe|Karriere|Presse|Versand|Rückgabe|Widerrufsrecht|'
        'Sitemap|Mediadaten|Partner|Gutscheine|Filialen',
        rights='Alle Rechte vorbehalten.|Alle Preise inkl. MwSt. zzgl. Versandkosten.',
        popular='Beliebt|Meistgelesen|Neueste Beiträge',
        comments='Kommentare|Kommentar schreiben',
        by='Von|von',
        tags='Schlagwörter|Themen',
        ad='Anzeige|Werbung',
        skip='Zum Inhalt springen',
        back='Nach oben',
        ship='Kostenloser Versand ab 40 €|30 Tage Rückgaberecht',
        members='Mitglied|Moderator|Neuling|Foren-As',
        posts='Beiträge',
        joined='Registriert|Dabei seit',
        location='Wohnort',
        wrote='schrieb|hat geschrieben',
        views='Aufrufe|Antworten',
        contact='Kontakt aufnehmen|Jetzt anfragen|Termin vereinbaren',
        similar='Ähnliche Themen',
        faq='Häufige Fragen'),
    'es': dict(
        home='Inicio|Portada',
        search='Buscar|¿Qué buscas?',
        cart='Carrito|Cesta (0)',
        account='Mi cuenta|Iniciar sesión',
        more='Leer más|Ver más',
        next='Siguiente|Siguiente »',
        prev='Anterior|« Anterior',
        add='Añadir al carrito|Comprar',
        stock='En stock|Disponible',
        related='También te puede gustar|Productos relacionados',
        desc='Descripción|Detalles',
        specs='Características|Especificaciones',
        reviews='Opiniones de clientes|Opiniones',
        news='Boletín|Suscríbete',
        newstext='Recibe nuestras novedades y ofertas en tu correo.',
        cookies=
        'Utilizamos cookies propias y de terceros para mejorar nuestros servicios. Si continúa navegando, acepta '
        'su uso.',
        accept='Aceptar|Aceptar todo',
        share='Compartir|Comparte este artículo',
        reply='Responder|Citar',
        report='Denunciar',
        sort='Ordenar por',
        filter='Filtrar|Filtros',
        found='productos|resultados',
        about=
        'Quiénes somos|Contacto|Aviso legal|Condiciones|Privacidad|Ayuda|Empleo|Prensa|Envíos|Devoluciones|'
        'Mapa del sitio|Publicidad|Tiendas',
        rights='Todos los derechos reservados.',
        popular='Lo más leído|Populares|Últimas noticias',
        comments='Comentarios|Deja un comentario',
        by='Por|por',
        tags='Etiquetas|Temas',
        ad='Publicidad',
        skip='Saltar al contenido',
        back='Volver arriba',
        ship='Envío gratis a partir de 50 €|Devoluciones en 30 días',
        members='Miembro|Moderador|Novato',
        posts='Mensajes',
        joined='Registrado',
        location='Ubicación',
        wrote='escribió|dijo',
        views='visitas|respuestas',
        contact='Contáctanos|Solicita presupuesto',
        similar='Temas similares',
        faq='Preguntas frecuentes'),
}


def pretty(root):
    """Whitespace between blocks, as hand-made templates have it."""
    for e in root.iter():
        if e.tag in ('div', 'ul', 'ol', 'tr', 'table', 'section', 'body', 'nav', 'tbody',
                     'dl') and not (e.text or '').strip():
            e.text = '\n  '
            for c in e:
                if not (c.tail or '').strip():
                    c.tail = '\n  '


class Site:
    """How a site writes: its words, names of classes and habits, all drawn from its name."""

    def __init__(self, name, lang, source, legacy=False):
        self.name, self.lang, self.source = name, lang, source
        self.rng = random.Random(name)
        r = self.rng
        self.legacy = legacy
        styles = 'none plain short' if legacy else 'plain plain bem utility utility hashed module mixed short'
        self.vocabulary = r.choice(styles.split())
        self.html5 = not legacy and r.random() < .7
        self.prefix = r.choice(('', '', 'c-', 'js-', texts.brand(r)[:3].lower() + '-'))
        self.brand = texts.brand(r)
        self.depth = r.choice((0, 0, 1, 1, 2, 3)) if not legacy else 0
        self.date_style, self.price_style = r.randrange(6), r.choice((0, 1, 2, 3, 4, 5)) if lang == 'en' else 2
        self.words = {key: r.choice(value.split('|')) for key, value in WORDS[lang].items()}
        self.words['aboutlist'] = WORDS[lang]['about'].split('|')
        self.topics = r.sample(texts.TOPICS[lang], 12)
        self.schema = r.choice(('none', 'microdata', 'json', 'both'))
        self.pretty = r.random() < .5
        self.options = {}
        self.names = {}
        self.page = r
        self.items = [self.item_of() for _ in range(ITEMS)]

    def start(self, number):
        """The generator of random numbers of page number."""
        self.page = random.Random('%s/%d' % (self.name, number))
        return self.page

    def has(self, option, share=.5):
        """A habit of the site: the same answer on all of its pages."""
        if option not in self.options:
            self.options[option] = random.Random(self.name + option).random() < share
        return self.options[option]

    def pick(self, option, *values):
        return values[int(random.Random(self.name + '?' + option).random() * len(values))]

    def cls(self, role):
        if role not in self.names:
            self.names[role] = self.name_of(role)
        return self.names[role]

    def name_of(self, role):
        r = random.Random(self.name + '.' + role)
        name = r.choice(ROLES.get(role, role).split())
        code = hashlib.md5((self.name + role).encode()).hexdigest()
        return {
            'plain': self.prefix + name, 'bem': '%s__%s' % (self.prefix + r.choice(
                ('page', 'block', 'shop', 'o')), name), 'utility': ' '.join(r.sample(UTILITIES, r.randint(2, 6))),
            'hashed': 'sc-%s %s' % (code[:6], code[6:12]),
            'module': '%s_%s__%s' % (name.title().replace('-', ''), r.choice(('root', 'wrap', 'inner')), code[:5]),
            'mixed': ' '.join(r.sample(BOOTSTRAP, 2)) + ' ' + name, 'short': code[:2] + 'x', 'none': ''
        }[self.vocabulary]

    def e(self, tag, role, *children, gold=None, **attributes):
        """An element. Children: texts, elements, lists of them; None is left out."""
        element = E(tag)
        if role and self.cls(role):
            element.set('class', self.cls(role))
        if gold:
            element.set('data-gold', gold)
        for key, value in attributes.items():
            element.set(key.rstrip('_').replace('_', '-'), value)
        self.fill(element, children)
        return element

    def fill(self, element, children):
        for c in children:
            if isinstance(c, (list, tuple)):
                self.fill(element, c)
            elif isinstance(c, str):
                if len(element):
                    element[-1].tail = (element[-1].tail or '') + c
                else:
                    element.text = (element.text or '') + c
            elif c is not None:
                element.append(c)

    def section(self, tag, role, *children, **kw):
        """A part of the page: HTML5's element or a division, with the site's depth of wrappers."""
        inner = list(children)
        for i in range(random.Random(self.name + role).randint(0, self.depth)):
            inner = [self.e('div', '%s-inner%d' % (role, i), inner)]
        return self.e(tag if self.html5 else 'div', role, inner, **kw)

    def link(self, text, role='', **kw):
        slug = re.sub(r'\W+', '-', text.lower()).strip('-')[:40]
        return self.e('a', role, text, href='/%s' % (slug or 'x'), **kw)

    def links(self, items, role='menu-list', tag='ul'):
        form = self.pick('links' + role, 'ul', 'ul', 'div', 'span')
        if form == 'ul':
            return self.e(tag, role, [self.e('li', role + '-item', self.link(i)) for i in items])
        separator = self.pick('sep' + role, ' ', ' | ', ' · ')
        return self.e('div', role, [[self.link(i, role + '-item'), separator] for i in items])

    def picture(self, role, text='', **kw):
        return self.e('img', role, src='/img/%s.jpg' % hashlib.md5(text.encode()).hexdigest()[:8], alt=text, **kw)

    def post(self):
        return self.page.choice(self.source.posts[self.lang])

    def paragraph(self):
        return self.page.choice(self.source.paragraphs[self.lang])

    def item(self):
        """An item to show or to link: the first ones are popular, so pages share them."""
        return self.items[int(ITEMS * self.page.random()**2)]

    def some_items(self, count):
        """Different items, popular ones more often."""
        return [self.items[i] for i in sorted(range(ITEMS), key=lambda i: self.page.random() * (1 + i / ITEMS))[:count]]

    def entry(self):
        """(title, paragraphs) of an item."""
        return self.item()['entry']

    def item_of(self):
        """What the site says of a product or an article wherever it shows it."""
        r = self.page
        title, paragraphs = r.choice(self.source.entries[self.lang])
        if r.random() < .7:
            title = r.choice(self.source.headlines[self.lang])
        return {
            'product': self.product(), 'price': self.price(), 'old': self.price() if r.random() < .2 else None,
            'entry': (title, paragraphs), 'teaser': self.post(), 'author': texts.person(r), 'nick': texts.nick(r),
            'date': texts.date(r, self.lang, self.date_style), 'topic': r.choice(self.topics),
            'rating': '%.1f (%d)' % (r.random() * 2 + 3, r.randint(1, 900))
        }

    def product(self):
        r = self.page
        words = [r.choice(texts.ADJECTIVES[self.lang]), r.choice(texts.NOUNS[self.lang])]
        if self.lang == 'es':
            words.reverse()
        code = r.choice(('', '', ' %s%d' % (r.choice('ABEMRX'), r.randint(10, 990)), ' %d' % r.randint(100, 9000)))
        return '%s %s%s' % (texts.brand(r), ' '.join(words).capitalize(), code)

    def date(self, gold=None, role='date', text=None):
        text = text or texts.date(self.page, self.lang, self.date_style)
        return self.e('time' if self.html5 and self.has('time') else 'span', role, text, gold=gold)

    def price(self):
        return texts.price(self.page, self.price_style)

    # --- the frame ---

    def menu(self):
        r = random.Random(self.name + 'menu')
        if not self.has('mega', .45):
            return self.section('nav', 'nav', self.links([self.words['home']] + self.topics[:r.randint(4, 9)]))
        items = []
        for topic in self.topics[:r.randint(5, 9)]:
            groups = [
                self.e(
                    'li', 'mega-column', self.e('span', 'mega-heading', r.choice(texts.TOPICS[self.lang])),
                    self.e('ul', 'mega-list', [
                        self.e('li', '', self.link(r.choice(texts.NOUNS[self.lang]).capitalize()))
                        for _ in range(r.randint(3, 8))
                    ]))
                for _ in range(r.randint(1, 4))
            ]
            items.append(self.e('li', 'mega-top', self.link(topic), self.e('ul', 'mega-panel', groups)))
        return self.section('nav', 'nav', self.e('ul', 'mega', items))

    def header(self):
        w = self.words
        parts = [self.link(self.brand, 'logo')]
        if self.has('search', .8):
            parts.append(
                self.e('form',
                       'search',
                       self.e('input', '', type='text', placeholder=w['search']),
                       self.e('button', 'button', w['search']),
                       action='/search'))
        if self.has('account', .7):
            parts.append(
                self.e('div', 'account', self.link(w['account']), ' ',
                       self.link(w['cart']) if self.shop() else None))
        top = self.e('div', 'topbar', w['ship'] if self.shop() else w['newstext'].split('.')[0],
                     self.links(w['aboutlist'][:3], 'toplinks')) if self.has('topbar', .4) else None
        return [
            self.e('a', 'skip', w['skip'], href='#main') if self.has('skip') else None,
            self.section('header', 'header', top, parts, self.menu())
        ]

    def shop(self):
        return self.name.startswith('shop')

    def widget(self, title, *content):
        return self.section('section', 'widget', self.e(self.pick('wh', 'h3', 'h4', 'div', 'h2'), 'widget-title',
                                                        title), content)

    def sidebar(self):
        """Widgets that all pages have; lists of items differ a little from page to page."""
        r = random.Random(self.name + 'side')
        fixed = [e[0] for e in r.sample(self.source.entries[self.lang], 8)]
        shown = fixed[:4] + [self.entry()[0]] if self.has('fresh', .4) else fixed[:5]
        widgets = [
            self.widget(self.words['popular'], self.links(shown, 'popular')),
            self.widget(self.words['tags'], self.links(self.topics, 'tags')),
            self.widget(self.words['news'], self.newsletter()) if self.has('sidenews') else None,
            self.widget(self.words['ad'], self.link(fixed[5])) if self.has('sidead', .4) else None,
            self.widget(fixed[6], self.e('p', 'widget-text', r.choice(self.source.posts[self.lang])))
            if self.has('sidetext') else None
        ]
        r.shuffle(widgets)
        return self.section('aside', 'side', widgets)

    def newsletter(self):
        return self.section(
            'section', 'newsletter',
            self.e(self.pick('nh', 'h3', 'h2', 'p', 'strong'), 'newsletter-title', self.words['news']),
            self.e('p', 'newsletter-text', self.words['newstext']),
            self.e('form', '', self.e('input', '', type='email', placeholder='email@example.com'),
                   self.e('button', 'button', self.words['accept'])))

    def cookies(self):
        return self.e('div',
                      'cookies',
                      self.e('p', '', self.words['cookies']),
                      self.e('button', 'button', self.words['accept']),
                      id='cookies')

    def footer(self):
        r = random.Random(self.name + 'foot')
        pool = self.words['aboutlist']
        columns = [
            self.e('div', 'footer-column',
                   self.e(self.pick('fh', 'h4', 'h3', 'strong', 'p'), 'footer-title', r.choice(pool)),
                   self.links(r.sample(pool + self.topics, r.randint(4, 9)), 'footer-links'))
            for _ in range(r.choice((1, 2, 3, 4, 4, 5)))
        ]
        about = self.e('p', 'footer-about', r.choice(self.source.posts[self.lang])) if self.has('footabout') else None
        legal = self.e('p', 'legal', '© %d %s. %s' % (r.randint(2015, 2025), self.brand, self.words['rights']))
        return self.section('footer', 'footer',
                            self.newsletter() if self.has('footnews') else None, columns, about, legal,
                            self.link(self.words['back']) if self.has('back', .3) else None)

    def crumbs(self, title):
        if not self.has('crumbs', .75):
            return None
        items = [self.words['home'], self.page.choice(self.topics), title]
        if self.has('crumblist'):
            return self.section('nav', 'crumbs',
                                self.e('ol', 'crumb-list', [self.e('li', 'crumb', self.link(i)) for i in items]))
        sep = self.pick('crumbsep', ' > ', ' » ', ' / ')
        return self.e('div', 'crumbs', [[self.link(i), sep] for i in items[:-1]],
                      self.e('span', 'crumb-here', items[-1]))

    def pager(self):
        numbers = [str(i) for i in range(1, self.page.randint(3, 9))]
        return self.section('nav', 'pager', [[self.link(n), ' '] for n in numbers], self.link(self.words['next']))

    def sharing(self):
        return self.e(
            'div', 'share', self.e('span', '', self.words['share']),
            self.links(['Facebook', 'Twitter', 'Pinterest', 'WhatsApp', 'LinkedIn'][:2 + len(self.brand) % 4],
                       'share-links'))

    def facts(self, pairs):
        """Pairs of label and value, in the site's form."""
        form = self.pick('facts', 'table', 'table', 'dl', 'divs', 'list', 'colon')
        if form == 'table':
            return self.e('table',
                          'specs',
                          self.e('tbody', '', [
                              self.e('tr', '', self.e(self.pick('th', 'th', 'td'), 'spec-label', k),
                                     self.e('td', 'spec-value', v)) for k, v in pairs
                          ]),
                          gold='C')
        if form == 'dl':
            return self.e('dl', 'specs', [[self.e('dt', '', k), self.e('dd', '', v)] for k, v in pairs], gold='C')
        if form == 'divs':
            return self.e('div',
                          'specs', [
                              self.e('div', 'spec-row', self.e('div', 'spec-label', k), self.e('div', 'spec-value', v))
                              for k, v in pairs
                          ],
                          gold='C')
        if form == 'list':
            return self.e('ul',
                          'specs', [self.e('li', 'spec', self.e('strong', '', k + ':'), ' ' + v) for k, v in pairs],
                          gold='C')
        return self.e('div', 'specs', [self.e('p', 'spec', '%s: %s' % pair) for pair in pairs], gold='C')

    def body(self, main, title):
        """The page around its main part: sidebar left, right or none; columns by table if old."""
        side = self.sidebar() if self.has('sidebar', .5) else None
        crumbs = self.crumbs(title)
        main = self.section('main', 'main', crumbs if self.has('crumbsin') else None, main, id='main')
        columns = [side, main] if self.has('left') else [main, side]
        if self.legacy:
            columns = [
                self.e('table',
                       '',
                       self.e('tr', '', [self.e('td', '', c, valign='top') for c in columns if c is not None]),
                       width='100%',
                       border='0')
            ]
        cookies = self.cookies() if self.has('cookies', .6) else None
        first, last = (cookies, None) if self.has('cookiesfirst') else (None, cookies)
        return self.e('body', 'page', first, self.header(), None if self.has('crumbsin') else crumbs,
                      self.e('div', 'wrapper', columns), self.footer(), last,
                      self.e('script', '', 'window.dataLayer = [];'))

    def head(self, title, kind, facts):
        e = self.e
        items = [
            e('meta', '', charset='utf-8'),
            e('title', '', '%s%s%s' % (title, self.pick('ts', ' - ', ' | ', ' – '), self.brand)),
            e('meta', '', name='viewport', content='width=device-width')
        ]
        if self.has('og', .6):
            items += [
                e('meta', '', property='og:title', content=title),
                e('meta', '', property='og:type', content=kind)
            ]
        if self.schema in ('json', 'both') and facts:
            data = json.dumps({'@context': 'https://schema.org', **facts}, ensure_ascii=False).replace('</', '<\\/')
            items.append(e('script', '', data, type='application/ld+json'))
        return e('head', '', items)

    def finish(self, title, main, kind='website', facts=None):
        """(bytes, gold rows) of a page."""
        root = self.e('html', '', self.head(title, kind, facts), self.body(main, title), lang=self.lang)
        if self.pretty:
            pretty(root)
        old = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'
        doctype = old if self.legacy else '<!DOCTYPE html>'
        data = lxml.html.tostring(root, doctype=doctype, encoding='utf-8')
        tree = labels.parse(data)
        marks = {element: element.get('data-gold') for element in tree.iter() if element.get('data-gold')}
        return GOLD.sub(b'', data), labels.gold_rows(tree, marks)
