# SPDX-License-Identifier: Apache-2.0

# Realistic pages (t/pages: pictures between texts, icons, forms, tables, noscript, shadow roots)
# while the store is dead, silent, late or missing: each response is the unchanged page, or the output
# of tmplctl for the page without a store. `make faults` does the same with the pages of a
# corpus.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Faults;

my @files = glob "$FindBin::Bin/../pages/*.html";
my $pages = Test::Tmpl::Faults->new(files => \@files);

for my $fault (@Test::Tmpl::Faults::FAULTS) {
    SKIP: {
        skip "$fault->{name}: no redis-server", 1 if !Test::Tmpl::Faults::possible($fault);
        subtest $fault->{name} => sub {
            for my $detector (@Test::Tmpl::Faults::DETECTORS) {
                my $is = $pages->run($detector, $fault);
                is $is->{tried}, scalar @files, "$detector: all pages were requested";
                is join("\n", @{ $is->{wrong} }), '', "$detector: no wrong response";
                is join("\n", @{ $is->{log} }), '', "$detector: nothing unexpected in the error log";
                cmp_ok $is->{edited}, '>', @files / 2, 'auto: most pages are edited' if $detector eq 'auto';
                cmp_ok $is->{failures}, '>', 0, "$detector: the store has failed";
            }
        };
    }
}

done_testing;
