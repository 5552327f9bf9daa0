# SPDX-License-Identifier: Apache-2.0

# The member version of the Tmpl field: a hash of everything beside the page that decided its verdicts.
# A site that is not learnt gives the same bytes and the same version for the same page, in every
# run and from an imported table. Whatever may change a verdict changes the version.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use File::Basename qw(dirname);

my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
plan skip_all => 'there is no tmplctl' if !-x $tool;

my $site = site();
my $scratch = temp_dir();
my $changed = "$scratch/changed";    # the text at the end of page 3
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/page/(\d+)};
    my $page = $site->page($n);
    $page =~ s{</article>}{slurp($changed) . '</article>'}e if $n == 3 && -e $changed;
    $connection->respond(200, { 'Content-Type' => 'text/html' }, $page);
};
my $learner = proxy($backend, conf => 'TmplMode headers');
my @learning = map { $_->says('version') } $learner->visit(1 .. 12, 5, 5);
like $learning[0], qr/^[0-9a-f]{8}-[0-9a-f]{8}$/, 'two halves of eight digits';
is scalar(keys %{ { map { $_ => 1 } @learning[0 .. 11] } }), 12, 'each page that is learnt changes it';
is $learning[13], $learning[12], 'one that is known does not';
$learner->finish;

my $dir = $learner->root;
my $twin = temp_dir();
mkdir "$twin/store";
system("$tool export --store lmdb:$dir/store test.example | $tool import --store lmdb:$twin/store test.example") == 0
    or die "the table cannot be copied\n";
give_to_server($_) for "$twin/store", glob "$twin/store/*";

# Pages 1 to 6 of a frozen site, from a store, under more configuration.
sub frozen {
    my ($store, $conf) = @_;
    my $httpd = proxy($backend, no_store => 1, conf => "TmplMode strip\nTmplLearn off\nTmplStore lmdb:$store/store\n" . ($conf // ''));
    $httpd->expect_log(qr/T040.*TmplSmoothing has no effect/);
    my @pages = $httpd->visit(1 .. 6);
    $httpd->finish;
    return @pages;
}

my @first = frozen($dir);
my @again = frozen($dir);
my @imported = frozen($twin);
for my $i (0 .. 5) {
    my $name = 'page ' . ($i + 1);
    same_bytes($_->body, $first[$i]->body, "$name: the same bytes") for $again[$i], $imported[$i];
    is $again[$i]->says('version'), $first[$i]->says('version'), "$name: and version in the next run";
    is $imported[$i]->says('version'), $first[$i]->says('version'), "$name: and from an imported table";
}
isnt $first[5]->body, $site->page(6), 'pages are changed';
is scalar(keys %{ { map { substr($_->says('version'), 0, 8) => 1 } @first } }), 1, 'all pages of the site have the first half in common';

# what may change a verdict
my $version = $first[0]->says('version');
my %other = (
    TmplDetector => 'TmplDetector incremental', TmplMinDF => 'TmplMinDF 4', TmplRatio => 'TmplRatio 0.6', TmplKeep => 'TmplKeep aside',
    TmplDrop => 'TmplDrop aside', TmplParts => 'TmplParts -body', TmplMinKeep => 'TmplMinKeep 0.01',
    TmplMinConfidence => 'TmplMinConfidence 0.01', TmplSecret => 'TmplSecret other', TmplSeparators => 'TmplSeparators +p',
    TmplModel => "TmplModel $FindBin::Bin/../../tests/models/all.trees", TmplSmoothing => "TmplSmoothing max",
);
my %seen = ($version => 'none');
for my $name (sort keys %other) {
    my ($page) = frozen($dir, $other{$name});
    my $is = $page->says('version');
    ok !$seen{$is}, "$name changes it" or diag "$is is that of $seen{$is}";
    $seen{$is} = $name;
}
my ($page) = frozen($dir, "TmplMode annotate\nTmplMaxWait 1s\nTmplCache none");
is $page->says('version'), $version, 'what does not change verdicts does not change it';

# the table
my $httpd = proxy($backend, no_store => 1, modules => ['socache_shmcb'], conf => "TmplMode strip\nTmplCache shmcb\nTmplStore lmdb:$dir/store\n");
my @versions = map { $httpd->get('/page/1')->says('version') } 1 .. 2;
is $versions[0], $version, 'a site that may be learnt, and is not';
my ($hit) = $httpd->visit(1);
is $hit->says('cache'), 'hit', 'a decision of the cache';
is $hit->says('version'), $version, 'has the version by which it was made';
$httpd->get('/page/13');
$httpd->finish;
my ($learnt) = frozen($dir);
isnt $learnt->says('version'), $version, 'learning another page changes it';
my @before = map { $_->says('version') } frozen($dir);
spit($changed, "<p>in 4 &amp; 1.</p>");    # a short text: long ones are not raised (near copies)
$httpd = proxy($backend, no_store => 1, conf => "TmplMode strip\nTmplStore lmdb:$dir/store\n");
is $httpd->get('/page/3')->says('learned'), 1, 'a known document with a text of page 4';
$httpd->finish;
unlink $changed;
my @after = map { $_->says('version') } frozen($dir);
isnt $after[3], $before[3], 'changes the version of page 4';
is $after[4], $before[4], 'but of no page that does not share a text with it';

done_testing;
