#include "catch.hpp"

#include "mees/rollout/fingerprint.hpp"
#include "rollout/fake_domain.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("processes that compute the same have the same fingerprint")
{
    auto const one = fingerprint(fake_setup({.model_sha256 = "aa"}));
    CHECK(one == fingerprint(fake_setup({.model_sha256 = "aa"})));
    CHECK(one.models == "aa");
    CHECK(one.trial.size() == 64);
    CHECK(fingerprint_from(to_text(one)) == one);
}

TEST_CASE("another model, or an episode that goes another way, changes the fingerprint")
{
    auto const one = fingerprint(fake_setup({.model_sha256 = "aa"}));
    auto const other_model = fingerprint(fake_setup({.model_sha256 = "bb"}));
    CHECK(other_model.models != one.models);
    CHECK(other_model.trial == one.trial);
    auto const other_numbers =
        fingerprint(fake_setup({.initial_fitness = 1e-9, .model_sha256 = "aa"}));
    CHECK(other_numbers.models == one.models);
    CHECK(other_numbers.trial != one.trial);
}

TEST_CASE("a domain without a model is not run")
{
    auto const one = fingerprint(fake_setup({.throw_radius = 0}));
    CHECK(one.models == "3:2:20:x:y");  // its sizes and BC instead
    CHECK(one == fingerprint(fake_setup({.initial_fitness = 3})));
    CHECK(fingerprint_from(to_text(one)) == one);
}
