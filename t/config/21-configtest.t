# SPDX-License-Identifier: Apache-2.0

# configtest refuses every bad value with a message that names the directive and the valid values, and accepts
# every good one, in every context.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

# Each directive: accepted values, what a refusal must say, refused values. What is a number or on or off follows
# from the table of settings.
my $models = "$FindBin::Bin/../../tests/models";
my %DIRECTIVE = (
    TmplDetector => { good => [qw(incremental style pagelevel auto AUTO)], says => qr/incremental, style, pagelevel or auto/, bad => [qw(on wang), '""'] },
    TmplModel => { good => ["$models/one.trees", "$FindBin::Bin/../../models/pagelevel.model"], says => qr/a file that holds a model/,
        bad => ['/nowhere/at/all', "$models/bad.trees", "$FindBin::Bin/../../Makefile", "$models", '""'] },
    TmplSmoothing => { good => [qw(off max min on)], says => qr/off, max, min or on/, bad => [qw(yes 1), '""'] },
    TmplMode => { good => [qw(off learn headers annotate strip text markdown json reader highlight)], says => qr/off.*learn.*headers.*annotate.*strip.*text.*markdown.*json.*reader.*highlight/,
        bad => [qw(on stripp 1), '""'] },
    TmplStore => { good => ['lmdb:@ROOT@/store', 'lmdb:@ROOT@/store?size=64M&sites=100', 'redis://127.0.0.1:6379/0', 'redis://u:p@127.0.0.1:6379/3',
            'redis+unix:///run/redis.sock', 'redis+unix:///run/redis.sock?db=2', 'redis://[::1]:6379',
            'redis+sentinel://u:p@127.0.0.1,127.0.0.1:26380/name/2?sentinel-pass=p', 'redis+cluster://127.0.0.1,[::1]:6380'],
        says => qr/lmdb:|redis:|redis\+unix:|port|0 \S+ \d+|path|database/,
        bad => ['lmdb', 'lmdb:@ROOT@/store?size=1T', 'http://x/', 'redis://127.0.0.1:99999/0', 'redis://127.0.0.1:6379/x', 'redis+unix://rel', 'lmdb:' . 'a/' x 3000, '""',
            'redis+sentinel://127.0.0.1', 'redis+cluster://127.0.0.1/1', 'redis://a,b', 'redis+tls://a', 'redis://a?db=1'] },
    TmplStoreRead => { good => ['redis://127.0.0.1:6379/0'], says => qr/redis:/, bad => ['http://x/', '""'] },
    TmplCache => { good => [qw(auto none)], says => qr/none, shmcb/, bad => [qw(nosuch shmcb), '""'] },
    TmplLifetime => { good => ['100 100', '1000 10'], says => qr/\d+.*\d+/, bad => ['0 10', '100 0', 'x 10', '100 x', '-5 5', '100'] },
    TmplSeparators => { good => ['div', '"table div ul"'], says => qr/element|tag/i, bad => ['nosuchtag', '"div nosuchtag"'] },
    TmplKeep => { good => ['aside', '"#id"', '.side', '"div.note[role=doc]"', '[hidden]', 'main p', '"div > p"', 'nav, main > p', '"xpath://div[contains(@class, \'a\')]"'],
        says => qr/CSS selectors of tag/, bad => ['"div > > p"', '"xpath:"', '"xpath://div["', '"#"', '"."', '"[x"', '""', 'a:hover', 'a + b', 'nav,'] },
    TmplDrop => { good => ['aside', '"#id"', '.side', '"a,b"'], says => qr/CSS selectors of tag/, bad => ['"div >"', '"#"', '"a,,b"'] },
    TmplParts => { good => ['body', 'headline body', 'Headline,body', 'all -comment', '+review', '"all, -qa"'],
        says => qr/headline, lead, .* or hidden\), as "headline body"/, bad => ['text', 'template', 'body +qa', '-qa body', '""'] },
    TmplMark => { good => ['data-tmpl', 'pagefind elastic swiftype nosnippet', 'googleoff htdig udm noindex stopindex',
            'data-skip data-index=no', '"<!-- noindex --><!-- index -->"'], says => qr/data-tmpl, parts, pagefind, elastic/,
        bad => [qw(nosuch class data- data-pagefind-body), '""', '"<!--a-->"', '"<!--a--><!--a-->"', 'udm udm', 'data-tmpl parts'] },
    TmplValidate => { good => [qw(backend content)], says => qr/backend or content/, bad => [qw(on), '""'] },
    TmplSiteKey => { good => ['shop.example', '"%{HTTP_HOST}"'], says => qr/expression|parse|cannot/i, bad => ['"%{nosuch:"', '"%{"'] },
    TmplPageKey => { good => ['"%{REQUEST_URI}"'], says => qr/expression|parse|cannot/i, bad => ['"%{nosuch:"', '"%{"'] },
    TmplHighlightAllow => { good => ['false', '"-R \'127.0.0.1\'"'], says => qr/expression|parse|cannot/i, bad => ['"%{REQUEST_URI} =="', '"=="'] },
    TmplLearn => { good => ['true', '"%{REQUEST_METHOD} == \'GET\'"'], says => qr/expression|parse|cannot/i,
        bad => ['"%{REQUEST_URI} =="', '"=="'] },
    TmplMetricsSites => { good => ['a.example', 'a.example "b c"'], says => qr/keys of sites/, bad => ['""'], server_only => 1 },
    TmplAdmin => { good => ['false', '"%{REMOTE_USER} == \'admin\'"'], says => qr/expression|parse|cannot/i, bad => ['"%{REQUEST_URI} =="', '"=="'] },
    TmplSecret => { good => ['correct-horse-battery-staple'], says => qr/./, bad => ['""'] },
);

my %CONTEXT = (
    server => ['', ''],
    vhost => ["<VirtualHost *:80>\n", "\n</VirtualHost>"],
    Location => ["<Location />\n", "\n</Location>"],
    Directory => ["<Directory />\n", "\n</Directory>"],
    If => ["<If \"true\">\n", "\n</If>"],
);

my @names;
for (slurp("$FindBin::Bin/../../shared/settings.h") =~ /^ *(X\(\w+, "\w+", .*)$/mg) {
    my ($name, $form, $least, $most) = /X\(\w+, "(\w+)", [^,]+, (\w+), "(\S*)", "(\S*)"/;
    push @names, $name;
    $DIRECTIVE{$name} //= $form eq 'FLAG' ? { good => [qw(on off)], says => qr/[Oo]n.*[Oo]ff/, bad => [qw(maybe 1), '""'] }
        : $least ne '' ? { good => [$least, $most], says => qr/\b$least\b.*\b$most\b/, server_only => $form eq 'GLOBAL',
            bad => [qw(-1 x 1e3 99999999999999999999), '""'] }
        : next;
}
is_deeply [sort keys %DIRECTIVE], [sort @names], 'all that there are';

my $httpd = Test::Tmpl::Httpd->new(bare => 1);
my $check = sub { $httpd->{conf} = $_[0]; return $httpd->configtest };

# All good values in one run a context.
for my $name (sort keys %CONTEXT) {
    my ($open, $close) = @{ $CONTEXT{$name} };
    my @lines = map { my $d = $_; map { "$d $_" } @{ $DIRECTIVE{$d}{good} } }
        grep { $name eq 'server' || !$DIRECTIVE{$_}{server_only} } sort keys %DIRECTIVE;
    my ($ok, $said) = $check->($open . join("\n", @lines) . $close);
    ok $ok, "$name: every good value is taken" or diag $said;
}

subtest 'for the whole server' => sub {
    for my $directive (grep { $DIRECTIVE{$_}{server_only} } sort keys %DIRECTIVE) {
        for my $name (grep { $_ ne 'server' } sort keys %CONTEXT) {
            my ($open, $close) = @{ $CONTEXT{$name} };
            my ($ok, $said) = $check->("$open$directive $DIRECTIVE{$directive}{good}[0]$close");
            ok !$ok, "$directive is refused in $name";
            like $said, qr/$directive.*(?:cannot occur|not allowed)/, 'by name';
        }
    }
};

subtest 'a bad model is refused with its line' => sub {
    my (undef, $said) = $check->("TmplModel $models/bad.trees");
    like $said, qr{bad\.trees: line 5: no feature is called "wirds"}, 'and what is wrong there';
};

for my $directive (sort keys %DIRECTIVE) {
    subtest $directive => sub {
        for my $value (@{ $DIRECTIVE{$directive}{bad} }) {
            my ($ok, $said) = $check->("$directive $value");
            ok !$ok, "$directive $value is refused";
            next if $ok;
            like $said, qr/$directive/, 'by name';
            # httpd repeats the line's place, not its value: what is left is the message
            my ($message) = $said =~ /:\n(.*)/s;
            like $message // '', $DIRECTIVE{$directive}{says}, 'with what is valid' or diag $said;
        }
    };
}

subtest 'what people write first' => sub {
    for (['TmplHighlightAllow on', qr/not "on": for everybody write true, for this host "-R '127\.0\.0\.1' \|\| -R '::1'"$/m],
        ['TmplAdmin admin', qr/for this host/], ['TmplLearn never', qr/for everybody write true/],
        ['TmplStore /var/lib/tmpl', qr{: the store in a directory is lmdb:/var/lib/tmpl$}m],
        ['TmplCache shmcb', qr/: mod_socache_shmcb is not loaded \(a2enmod socache_shmcb\)$/m]) {
        my ($line, $says) = @$_;
        like +($check->($line))[1], $says, $line;
    }
};

done_testing;
