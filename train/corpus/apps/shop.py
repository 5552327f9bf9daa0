# SPDX-License-Identifier: Apache-2.0
"""Made shops: pages of products, and collections of them."""
import texts

FACTS = {
    'en': (
        'Weight Dimensions Material Colour Brand Model Power Capacity Voltage Length Width Height Warranty Origin EAN '
        'Finish Battery Volume Display Connectivity').split(),
    'de': 'Gewicht Maße Material Farbe Marke Modell Leistung Fassungsvermögen Länge Breite Höhe Garantie Herkunft EAN'.
    split(),
    'es': 'Peso Dimensiones Material Color Marca Modelo Potencia Capacidad Longitud Ancho Alto Garantía Origen EAN'.
    split()
}
VALUES = {
    'en': 'black silver oak cotton aluminium steel white leather bamboo glass'.split(),
    'de': 'schwarz silber Eiche Baumwolle Aluminium Stahl weiß Leder Bambus Glas'.split(),
    'es': 'negro plata roble algodón aluminio acero blanco cuero bambú vidrio'.split()
}
BOX = {'en': "What's in the box", 'de': 'Lieferumfang', 'es': 'Contenido'}


def value(site):
    r = site.page
    return r.choice((r.choice(VALUES[site.lang]), '%d cm' % r.randint(5, 200), '%.1f kg' % (r.random() * 20),
                     '%d W' % r.randint(5, 3000), '%d x %d x %d mm' % tuple(r.randint(20, 900) for _ in range(3)),
                     texts.brand(r), '%d' % r.randint(1, 40), '%d V' % r.choice(
                         (12, 110, 230)), '%d ml' % r.randint(100, 5000)))


def pairs(site):
    r = site.page
    return [(k, value(site)) for k in r.sample(FACTS[site.lang], r.randint(4, 11))]


def card(site, gold, item):
    """A product in a grid. gold: the label of its name, price and teaser."""
    e, w, r = site.e, site.words, site.page
    name, amount = item['product'], item['price']
    role = 'card' if gold == 'C' else 'mini'
    return e(
        'li' if site.has('list') else site.pick('cardtag', 'div', 'article') if site.html5 else 'div', role,
        e('a', role + '-link', site.picture('photo', name), href='/p/x'),
        e('span', 'badge', r.choice(('-10%', 'New', 'Sale'))) if r.random() < .2 and site.has('badges') else None,
        e(site.pick('cardname', 'h3', 'h2', 'div', 'p'),
          role + '-title',
          site.link(name),
          gold=gold if gold == 'C' else None),
        e('div', 'rating', item['rating'], gold='I' if gold == 'C' else None) if site.has('rating') else None,
        e('p', 'teaser', item['teaser'], gold=gold) if site.has('teaser', .35) and gold == 'C' else None,
        e('div',
          'price', [e('del', 'old', item['old']), ' '] if item['old'] else None,
          e('span', 'now', amount),
          gold=gold if gold == 'C' else None),
        e('button', 'buy', w['add']) if site.has('gridbuy') else None)


def grid(site, cards, role='grid'):
    if site.legacy:
        rows = [cards[i:i + 3] for i in range(0, len(cards), 3)]
        return site.e('table', role, [site.e('tr', '', [site.e('td', 'cell', c) for c in row]) for row in rows])
    return site.section('ul' if site.has('list') else 'div', role, cards) if not site.has('list') else site.e(
        'ul', role, cards)


def related(site):
    return site.section(
        'section', 'related', site.e(site.pick('rh', 'h2', 'h3', 'div'), 'related-title', site.words['related']),
        grid(site, [card(site, 'T', i) for i in site.some_items(site.pick('few', 3, 4, 5, 8))], 'related-grid'))


def reviews(site):
    e, w, r = site.e, site.words, site.page
    if not site.has('reviews', .65):
        return None
    items = [
        e(
            'div', 'review', e('span', 'stars', '★' * r.randint(2, 5), gold='I'),
            e(site.pick('rt', 'h4', 'strong', 'div'), 'review-title', site.post()[:40].rsplit(' ', 1)[0], gold='C')
            if site.has('rtitle') else None, e('span', 'author', texts.person(r), gold='C'), ' ', site.date('C'),
            e('p', 'review-text', site.post(), gold='C'), e('div', 'helpful', w['reply'], ' ', w['report']))
        for _ in range(r.randint(1, 6))
    ]
    summary = e('div', 'summary', '%.1f / 5' % (3 + r.random() * 2), e('span', '', ' (%d)' % len(items)), gold='I')
    return site.section(
        'section', 'reviews', e(site.pick('sh', 'h2', 'h3'), 'section-title', w['reviews'], gold='C'), summary, items,
        e('form', 'review-form', e('label', '', w['comments']), e('textarea', ''), e('button', 'button', w['accept'])))


def details(site, name, facts):
    """Description, specification and contents of the box, in the site's order."""
    e, w, r = site.e, site.words, site.page
    heading = site.pick('sh', 'h2', 'h3')
    text = site.section(
        'section', 'text',
        e(heading, 'section-title', w['desc'], gold='C') if site.has('desctitle') else None,
        [e('p', '', site.paragraph(), gold='C') for _ in range(r.randint(1, 4))],
        e('ul', 'bullets', [e('li', '', site.post(), gold='C')
                            for _ in range(r.randint(3, 6))]) if r.random() < .5 else None)
    table = site.section('section', 'spec-section', e(heading, 'section-title', w['specs'], gold='C'),
                         site.facts(facts))
    box = site.section(
        'section', 'kit', e(heading, 'section-title', BOX[site.lang], gold='C'),
        e('ul', '', [
            e('li', '', '%d x %s' % (r.randint(1, 4), r.choice(texts.NOUNS[site.lang])), gold='C')
            for _ in range(r.randint(2, 5))
        ]))
    tabs = e('ul', 'tabs',
             [e('li', 'tab', e('a', '', t, href='#' + t.lower()[:5])) for t in (w['desc'], w['specs'], w['reviews'])])
    parts = [text, table, box if site.has('box', .4) else None]
    if site.has('specsfirst', .3):
        parts.reverse()
    delivery = site.section('section', 'delivery', e(heading, 'section-title', w['ship']),
                            e('p', '', site.words['delivery']))
    return [tabs if site.has('tabs') else None, parts, delivery if site.has('delivery', .6) else None]


def product(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    item = site.items[number]
    name, amount, maker, facts = item['product'], item['price'], item['product'].split()[0], pairs(site)
    micro = site.schema in ('microdata', 'both')
    gallery = e('div', 'gallery', site.picture('big', name),
                e('div', 'thumbs', [site.picture('thumb', name + str(i)) for i in range(r.randint(1, 5))]))
    title = e('h1', 'title', name, gold='C', **({'itemprop': 'name'} if micro else {}))
    options = e('div',
                'options',
                e('label', '', FACTS[site.lang][3]), [e('button', 'swatch', v) for v in r.sample(VALUES[site.lang], 4)],
                gold='I')
    head = [
        title,
        e('div', 'maker', site.link(maker), gold='I') if site.has('maker') else None,
        e('div', 'rating', item['rating'], gold='I') if site.has('rating') else None
    ]
    buy = e(
        'div', 'buybox',
        e('div',
          'price', [e('s', 'old', item['old']), ' '] if item['old'] else None,
          e('span', 'now', amount, **({'itemprop': 'price', 'content': '1'} if micro else {})),
          gold='C'),
        e('p', 'short', item['teaser'], gold='C') if site.has('short', .6) else None,
        options if site.has('options') else None, e('span', 'stock', w['stock'], gold='I'),
        e('form', 'buy', e('input', '', type='number', value='1'), e('button', 'buybutton', w['add'])),
        e('ul', 'promises', [e('li', '', x) for x in site.words['promises']]) if site.has('promises') else None,
        site.sharing() if site.has('share') else None)
    if site.has('titletop', .3):
        top = [head, gallery, buy]
    else:
        top = [gallery, e('div', 'summary-box', head, buy)]
    if site.legacy:
        top = [e('table', '', e('tr', '', e('td', '', gallery), e('td', '', head, buy)))]
    main = e('div', 'product', top, details(site, name, facts), reviews(site), related(site),
             related(site) if site.has('two', .3) else None,
             **({'itemscope': '', 'itemtype': 'http://schema.org/Product'} if micro else {}))
    return site.finish(name, main, 'product', {'@type': 'Product', 'name': name, 'brand': maker})


def facets(site):
    e, r = site.e, site.page
    groups = [
        e(
            'div', 'facet', e(site.pick('ft', 'h4', 'strong', 'span'), 'facet-title', name),
            e('ul', 'facet-list', [
                e(
                    'li', '',
                    e('label', '', e('input', '', type='checkbox'), ' %s ' % v,
                      e('span', 'count', '(%d)' % r.randint(1, 80))))
                for v in r.sample(VALUES[site.lang], r.randint(3, 7))
            ]))
        for name in FACTS[site.lang][:3 + len(site.brand) % 5]
    ]
    return site.section('aside', 'facets', e('h3', 'facets-title', site.words['filter']), groups)


def collection(site, number):
    site.start(number)
    e, w, r = site.e, site.words, site.page
    title = '%s %s' % (r.choice(texts.ADJECTIVES[site.lang]).capitalize(), r.choice(texts.TOPICS[site.lang]))
    bar = e('div', 'toolbar', e('span', 'found', '%d %s' % (r.randint(10, 400), w['found'])), e('label', '', w['sort']),
            e('select', '', e('option', '', 'A-Z')),
            site.pager() if site.has('pagertop', .3) else None)
    cards = [card(site, 'C', i) for i in site.some_items(r.choice((9, 12, 16, 20, 24)))]
    tiles = e('div', 'tiles', [site.link(t, 'tile') for t in r.sample(site.topics, 5)], gold='I')
    outro = e('div', 'seo', [e('p', '', site.paragraph(), gold='C') for _ in range(2)])
    main = [
        e('h1', 'title', title, gold='C'),
        e('p', 'intro', site.paragraph(), gold='C') if site.has('intro', .6) else None,
        tiles if site.has('tiles', .4) else None,
        facets(site) if site.has('facetsfirst', .7) else None, bar,
        grid(site, cards),
        site.pager(), None if site.has('facetsfirst', .7) else facets(site), outro if site.has('outro', .4) else None
    ]
    return site.finish(title, main, 'product.group', {'@type': 'CollectionPage', 'name': title})


def pages(site):
    r = site.rng
    site.words['delivery'] = r.choice(site.source.paragraphs[site.lang])
    site.words['promises'] = r.sample(site.source.posts[site.lang], 3)
    for number in range(40):
        yield ('collection-%d' % number, *collection(site, number)) if number % 5 == 4 else ('product-%d' % number,
                                                                                             *product(site, number))
