# SPDX-License-Identifier: Apache-2.0
"""Text for the pages of app-sites, from Debian's dictionaries, fortunes and a book: entries with a
title, paragraphs, short posts. The same packages give the same text. English, German and Spanish."""
import glob
import gzip
import html
import os
import re

import labels

# Files of fortunes that are left out because they insult.
LEFT_OUT = {'ethnic', 'men-women', 'drugs', 'zippy', 'kalt', 'unfug'}
BOOK = 'anarchism', 'usr/share/doc/anarchism/html/sec*.html'
DICTIONARIES = (('dict-foldoc', 'usr/share/dictd/foldoc.dict.dz'), ('dict-jargon', 'usr/share/dictd/jargon.dict.dz'))
FORTUNES = {
    'en': ('fortunes', 'usr/share/games/fortunes/*'), 'de': ('fortunes-de', 'usr/share/games/fortunes/de/*'),
    'es': ('fortunes-es', 'usr/share/games/fortunes/es/*.fortunes')
}
FORENAMES = ('Anna Ben Carla David Elena Frank Grace Hugo Ines Jonas Karin Liam Maria Noah Olga Paul Quinn Rosa Samir '
             'Tessa Umar Vera Walter Xenia Yusuf Zoe Emily Lucas Mia Oscar Priya Kenji Amara Diego Ingrid').split()
SURNAMES = ('Abbott Becker Castillo Dawson Eriksen Fischer Garcia Hughes Ivanov Jensen Keller Lopez Moreau Novak '
            'Okafor Patel Quigley Romero Schmidt Tanaka Ueda Vargas Weber Young Zimmer Lindqvist Marsh Orlov').split()
SYLLABLES = 'nor vik ka lo ter ra mi sol ven to bel da quin ex ar no lum pe gra zi fen wo tal'.split()
PLACES = ('Aberdeen Bergen Cordoba Dresden Edinburgh Faro Ghent Hamburg Innsbruck Jena Krakow Leeds Malaga Nantes '
          'Oslo Porto Rotterdam Seville Turin Utrecht Valencia Vienna York Zurich Boston Denver Austin').split()
NOUNS = {
    'en': ('kettle lamp backpack keyboard jacket chair desk monitor bicycle tent headphones camera blender notebook '
           'watch speaker router drill shelf mirror carpet pillow bottle knife helmet guitar printer charger').split(),
    'de': ('Wasserkocher Lampe Rucksack Tastatur Jacke Stuhl Schreibtisch Bildschirm Fahrrad Zelt Kopfhörer Kamera '
           'Mixer Notizbuch Uhr Lautsprecher Bohrer Regal Spiegel Teppich Kissen Flasche Messer Helm').split(),
    'es': ('hervidor lámpara mochila teclado chaqueta silla escritorio monitor bicicleta tienda auriculares cámara '
           'batidora cuaderno reloj altavoz taladro estante espejo alfombra almohada botella cuchillo casco').split()
}
ADJECTIVES = {
    'en': 'compact foldable wireless classic ergonomic portable stainless waterproof electric wooden smart light'.split(
    ), 'de': 'kompakt faltbar kabellos klassisch ergonomisch tragbar rostfrei wasserdicht elektrisch leicht'.split(),
    'es': 'compacto plegable inalámbrico clásico ergonómico portátil inoxidable impermeable eléctrico ligero'.split()
}
TOPICS = {
    'en': ('Kitchen Garden Outdoor Office Travel Music Photo Sports Kids Health Home Tools Audio Lighting Storage '
           'Fashion Shoes Books Games Pets Science Culture Business Politics Opinion Technology Software Hardware '
           'Networks Security Gardening Cycling Camping Cooking Repair Events Community Careers').split(),
    'de': ('Küche Garten Draußen Büro Reisen Musik Foto Sport Kinder Gesundheit Wohnen Werkzeug Audio Licht Ordnung '
           'Mode Schuhe Bücher Spiele Tiere Wissenschaft Kultur Wirtschaft Politik Meinung Technik Netze').split(),
    'es': ('Cocina Jardín Exterior Oficina Viajes Música Foto Deporte Niños Salud Hogar Herramientas Audio Luz Orden '
           'Moda Zapatos Libros Juegos Mascotas Ciencia Cultura Negocios Política Opinión Técnica Redes').split()
}
MONTHS = {
    'en': 'January February March April May June July August September October November December'.split(),
    'de': 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(),
    'es': 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split()
}
SENTENCE = re.compile(r'(?<=[.!?])\s+(?=["A-ZÄÖÜ¿¡])')
TAG = re.compile(r'<[^>]+>')


def clean(text):
    text = re.sub(r'<[\w /,.-]+>|\[\w+\]|__|[{}]', '', text)
    text = re.sub(r'\(https?://\S*\)|\(\d{4}-\d\d-\d\d\)|\S*@\S*|[\x00-\x1f]\[?[0-9;]*m?', ' ', text)
    return ' '.join(text.split())


def prose(text):
    """True for running text: no art, no code, no table."""
    letters = sum(c.isalpha() or c == ' ' for c in text)
    return len(text) > 40 and letters > .88 * len(text) and not re.search(r'[|_=*#~\\/]{2}|  ', text)


def read(path):
    with (gzip.open if path.endswith(('.gz', '.dz')) else open)(path, 'rb') as f:
        return f.read().decode('utf-8', 'replace')


def dictionary(path):
    """(title, paragraphs) of entries with at least 160 characters of prose."""
    for part in re.split(r'\n(?=\S)', read(path)):
        title, _, rest = part.partition('\n')
        title = re.sub(r'^[0-9. ]+', '', clean(title))
        paragraphs = [p for p in map(clean, re.split(r'\n\s*\n', rest)) if prose(p)]
        if 3 < len(title) < 60 and '00-database' not in title and sum(map(len, paragraphs)) > 160:
            yield title, paragraphs


def fortunes(pattern):
    for path in sorted(glob.glob(pattern)):
        if os.path.isfile(path) and not path.endswith(('.dat', '.u8')) and os.path.basename(path) not in LEFT_OUT:
            for text in re.split(r'\n%+\n', read(path)):
                text = clean(re.sub(r'\n\s*--.*', '', text, flags=re.S))
                if prose(text) and len(text) < 900:
                    yield text


def titled(pool):
    """Entries made of short texts, for languages without a dictionary: the first sentence's start is the title."""
    for i in range(0, len(pool) - 4, 3):
        first = SENTENCE.split(pool[i])[0].rstrip('.:,;')
        if 15 < len(first) < 90:
            yield first, pool[i + 1:i + 4]


class Texts:
    """entries: (title, paragraphs); paragraphs; posts: shorter texts; headlines. By language."""

    def __init__(self, debs):
        self.posts, self.paragraphs, self.entries, self.headlines = {}, {}, {}, {}
        for lang, (package, pattern) in FORTUNES.items():
            self.posts[lang] = list(dict.fromkeys(fortunes(os.path.join(labels.unpack(package, debs), pattern))))
            self.headlines[lang] = [p.rstrip('.') for p in self.posts[lang] if len(p) < 75]
            self.entries[lang] = list(titled(self.posts[lang]))
            self.paragraphs[lang] = [p for p in self.posts[lang] if len(p) > 120]
        self.entries['en'] = [
            e for package, path in DICTIONARIES for e in dictionary(os.path.join(labels.unpack(package, debs), path))
        ]
        book = sorted(glob.glob(os.path.join(labels.unpack(BOOK[0], debs), BOOK[1])))
        found = (clean(html.unescape(TAG.sub('', p)))
                 for path in book
                 for p in re.findall(r'<p>(.*?)</p>', read(path), re.S))
        self.paragraphs['en'] = [p for p in found if prose(p) and 150 < len(p) < 1200]


def person(rng):
    return '%s %s' % (rng.choice(FORENAMES), rng.choice(SURNAMES))


def nick(rng):
    word = rng.choice(SYLLABLES) + rng.choice(SYLLABLES) + rng.choice(
        ('', '', rng.choice(SYLLABLES), str(rng.randint(1, 99))))
    return rng.choice(
        (word, word.capitalize(), rng.choice(FORENAMES).lower() + str(rng.randint(1, 99)), word + '_' + word[:2]))


def brand(rng):
    return ''.join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 3))).capitalize()


def date(rng, lang, style):
    y, m, d = rng.randint(2009, 2025), rng.randint(1, 12), rng.randint(1, 28)
    name = MONTHS[lang][m - 1]
    return ('%d %s %d' % (d, name, y), '%s %d, %d' % (name[:3], d, y), '%04d-%02d-%02d' % (y, m, d),
            '%02d.%02d.%04d' % (d, m, y),
            '%02d/%02d/%04d %02d:%02d' % (m, d, y, rng.randint(0, 23), rng.randint(0, 59)),
            '%s %d, %d at %d:%02d PM' % (name, d, y, rng.randint(1, 12), rng.randint(0, 59)))[style]


def price(rng, style):
    value = rng.choice((rng.randint(3, 60), rng.randint(20, 900), rng.randint(100, 4000)))
    cents = rng.choice((0, 50, 90, 95, 99, 99))
    return ('$%d.%02d' % (value, cents), '€%d.%02d' % (value, cents), '%d,%02d €' % (value, cents),
            '£%d.%02d' % (value, cents), 'CHF %d.%02d' % (value, cents), 'US$%d' % value)[style]
