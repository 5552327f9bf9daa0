#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The tarball of make dist, and the files built from it, have the same bytes each time and in each directory. make
# install and make uninstall of such a build: which files they write, which files stay, and that they report these.
# The version is the same in all files that have one.
use strict;
use warnings;

use Cwd qw(abs_path);
use Digest::SHA;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my $dir = tempdir('tmpl-dist-XXXXXX', TMPDIR => 1, CLEANUP => 1);
delete @ENV{qw(MAKEFLAGS MAKELEVEL BUILD CC CFLAGS)};

sub slurp {
    my ($name) = @_;
    open my $f, '<:raw', $name or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

sub sha { return Digest::SHA->new(256)->addfile($_[0], 'b')->hexdigest }

# Runs make, which must succeed; returns its output.
sub made {
    my ($in, @arguments) = @_;
    my $said = qx(nice make -s -C '$in' @arguments 2>&1);
    is($?, 0, "make @arguments") or diag $said;
    return $said;
}

my ($version) = slurp("$root/shared/base/tmpl.h") =~ /^#define TMPL_VERSION "([\d.]+)"$/m;
subtest 'version' => sub {
    ok($version, 'shared/base/tmpl.h has it') or return;
    my $changes = slurp("$root/debian/changelog");
    like($changes, qr/^mod-tmpl \(\Q$version\E-\d+\) /, 'debian/changelog');
    # dpkg sets later times of files back to this one: only if it has passed, two builds are equal
    my ($when) = $changes =~ /^ -- .*>  (.*)$/m;
    cmp_ok(qx(date -d '$when' +%s), '<', time, 'its time has passed');
};

if (system("git -C '$root' rev-parse HEAD >/dev/null 2>&1") != 0) {
    SKIP: { skip 'the tarball is made of a commit', 1 }
    done_testing;
    exit;
}
my $name = "mod_tmpl-$version";
my @trees = ("$dir/one", "$dir/two/elsewhere");
subtest 'tarball' => sub {
    my @tarballs = map { made($root, 'dist', "BUILD=$_"); "$_/$name.tar.gz" } "$dir/a", "$dir/b";
    is(sha($tarballs[0]), sha($tarballs[1]), 'two have the same bytes');
    for my $tree (@trees) {
        make_path($tree);
        is(system("tar -C '$tree' --strip-components=1 -xf '$tarballs[0]'"), 0, 'it is unpacked');
    }
    made($trees[0], 'dist');
    my ($first, $again) = map { join '', sort qx(tar -tf '$_') } $tarballs[0], "$trees[0]/build/$name.tar.gz";
    is($again, $first, 'a tarball of the unpacked tree has the same files');
};

# -O0 takes a tenth of the time, and would also show paths and times in the files.
subtest 'builds' => sub {
    made($trees[0], qw(CFLAGS='-O0 -g' HARDEN= all));
    local $ENV{TZ} = 'Asia/Tokyo';
    made($trees[1], qw(CFLAGS='-O0 -g' HARDEN= all));
    is(sha("$trees[0]/build/$_"), sha("$trees[1]/build/$_"), "two of $_ have the same bytes") for qw(mod_tmpl.so tmplctl);
    my @boms = map { made($_, qw(CFLAGS='-O0 -g' HARDEN= sbom)); slurp("$_/build/$name.cdx.json") } @trees;
    is($boms[0], $boms[1], 'two bills of materials have the same bytes');
    my $bom = decode_json($boms[0]);
    my %of = map { $_->{'bom-ref'} => $_ } @{ $bom->{components} };
    is($of{tmplctl}{hashes}[0]{content}, sha("$trees[0]/build/tmplctl"), 'they have the hash of tmplctl');
    my %on = map { $_->{ref} => $_->{dependsOn} } @{ $bom->{dependencies} };
    for my $case (['mod_tmpl.so', 'zlib1g'], ['mod_tmpl.so', 'libbrotli1'], ['mod_tmpl.so', 'libzstd1'], ['tmplctl', 'libjansson4'], ['tmplctl', 'libcurl4(?:t64)?'],
        ['tmplctl', 'libxml2(?:-\d+)?'], ['tmplctl', 'libssl3(?:t64)?']) {
        my ($file, $package) = @$case;
        ok(scalar(grep { m{^pkg:deb/debian/$package\@} && $of{$_} } @{ $on{$file} }), "$file needs $package");
    }
};

sub files {
    my ($in) = @_;
    return join "\n", sort map { s/\n//r } qx(cd '$in' && find . -type f);
}

subtest 'install and uninstall' => sub {
    my $to = "$dir/installed";
    my @options = (qw(CFLAGS='-O0 -g' HARDEN=), "DESTDIR=$to");
    my $told = qx(make -C '$trees[0]' @options install 2>&1);
    like($told, qr{^  module +\Q$to\E/.*mod_tmpl\.so\n.*^  next +a2enmod tmpl}ms, 'it says what is where, and what comes next');
    cmp_ok(scalar(split /\n/, $told), '<', 20, 'in few lines');
    my $files = files($to);
    like($files, qr{/\Q$_\E$}m, "$_ is installed")
        for qw(modules/mod_tmpl.so bin/tmplctl man1/tmplctl.1 man5/mod_tmpl.5 completions/tmplctl mods-available/tmpl.load
        mods-available/tmpl.conf doc/mod_tmpl/README.md doc/mod_tmpl/docs/packages.md doc/mod_tmpl/conf/reader.conf
        doc/mod_tmpl/conf/page.schema.json doc/mod_tmpl/conf/grafana-dashboard.json doc/mod_tmpl/conf/prometheus-alerts.yml);
    my ($conf) = $files =~ m{^\./(.*/tmpl\.conf)$}m;

    unlike(made($trees[0], @options, 'uninstall'), qr/stays: \Q$to\E/, 'nothing stays');
    is(files($to), '', 'nothing is left');

    made($trees[0], @options, 'install');
    open my $f, '>>', "$to/$conf" or die $!;
    print $f "# mine\n";
    close $f;
    make_path("$to/var/lib/apache2/tmpl/learnt");
    my $said = made($trees[0], @options, 'uninstall');
    like($said, qr{^stays: \Q$to/$conf\E, which you changed$}m, 'a changed tmpl.conf stays, and why');
    like($said, qr{^stays: \Q$to\E/var/lib/apache2/tmpl, what was learnt}m, 'so does the store');
    is(files($to), "./$conf", 'no other file is left');
    isnt(system("make -s -C '$trees[0]' @options APXS=/missing uninstall 2>/dev/null"), 0, 'without apxs nobody knows where the module is');

    # a package over what make install wrote, as apt-get does it
    made($trees[0], @options, 'install');
    my $module = (grep { m{modules/mod_tmpl\.so$} } split /\n/, files($to))[0] =~ s{^\./}{}r;
    my $package = "$dir/package";
    make_path("$package/DEBIAN", dirname("$package/$module"), "$to/var/lib/dpkg");
    open my $control, '>', "$package/DEBIAN/control" or die $!;
    print $control "Package: libapache2-mod-tmpl\nVersion: 1\nArchitecture: all\nMaintainer: a <a\@example.org>\nDescription: a\n";
    close $control;
    qx(echo packaged >'$package/$module' && touch '$to/var/lib/dpkg/status' &&
        dpkg-deb --build '$package' '$dir/a.deb' 2>&1 && dpkg --root='$to' --log=/dev/null --install '$dir/a.deb' 2>&1);
    is($?, 0, 'a package is installed');
    like(qx(cd '$trees[0]' && make -s @options install 2>&1), qr/^a package has installed the module/m, 'install refuses');
    $said = made($trees[0], @options, 'uninstall');
    like($said, qr/^stays: the module and its configuration, which a package has installed$/m, 'uninstall says what stays');
    is(qx(cat '$to/$module'), "packaged\n", "the package's module stays");
    like(files($to), qr{mods-available/tmpl\.load$}m, 'so does what enables it');
    unlike(files($to), qr{bin/tmplctl$}m, 'the tool of make install goes');
    unlike($said, qr{/var/lib/apache2/tmpl}, 'the store is not spoken of: the package uses it');
};

done_testing;
