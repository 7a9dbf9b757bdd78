// Exact vectors. Quantiles, tails, digamma and trigamma: SciPy 1.17; Qn, prior and detectable change: their
// published formulas evaluated in Python with SciPy's functions and a bracketing root finder.
#include "judge/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string_view>

#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

TEST(Median, IsTheMiddleValueOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median(Values{7}), 7);
  EXPECT_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5, 3}), 4);
  EXPECT_EQ(median(Values{2, 2, 2, 100}), 2);
  EXPECT_THROW(median(Values{}), std::invalid_argument);
}

TEST(Mean, IsTheSumOverTheCount) {
  EXPECT_EQ(mean(Values{7}), 7);
  EXPECT_EQ(mean(Values{1, 2, 6}), 3);
  EXPECT_THROW(mean(Values{}), std::invalid_argument);
}

TEST(Qn, MatchesThePublishedEstimatorWithItsSmallSampleFactors) {
  EXPECT_NEAR(qn(Values{1, 2}), 0.8865381, 1e-12);
  EXPECT_NEAR(qn(Values{1, 4, 9}), 6.6257058, 1e-12);
  EXPECT_NEAR(qn(Values{1, 2, 4, 8, 16}), 5.6258508, 1e-12);
  EXPECT_NEAR(qn(Values{2.5, 2.6, 2.6, 4.0, 4.2}), 0.18752836, 1e-12);
  EXPECT_NEAR(qn(Values{10.1, 9.8, 10.0, 10.3, 9.9, 10.2, 12.5, 10.0, 9.7, 10.4}), 0.3220144927536221, 1e-12);
  EXPECT_NEAR(qn(Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), 3.942080645161291, 1e-12);
}

TEST(Qn, ShrugsOffAlmostHalfOfTheValues) {
  const Values clean{10.1, 9.8, 10.0, 10.3, 9.9, 10.2, 10.05, 10.0, 9.7, 10.4};
  Values spoilt = clean;
  for (std::size_t i = 0; i < 4; ++i) spoilt[i] += 1000;
  EXPECT_LT(qn(spoilt), 5 * qn(clean));
  EXPECT_EQ(qn(Values{3, 3, 3, 3, 9}), 0);
  EXPECT_THROW(qn(Values{1}), std::invalid_argument);
}

// The definition, quadratic, against what is used for many values.
TEST(Qn, OfManyValuesIsTheOrderStatisticOfAllPairs) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> coarse(0, 20);
  for (const std::size_t n : {65U, 100U, 257U, 700U}) {
    for (const char* shape : {"smooth", "tied", "two groups", "many magnitudes", "one apart"}) {
      const std::string_view is(shape);
      Values values;
      values.reserve(n);
      for (std::size_t i = 0; i < n; ++i)
        values.push_back(is == "tied"              ? .1 * coarse(engine)
                         : is == "two groups"      ? (i % 2 == 0 ? -20 : 30) + 1e-6 * normal(engine)
                         : is == "many magnitudes" ? std::pow(10., 40 * normal(engine))
                         : is == "one apart"       ? (i == 7 ? 1e200 : 4 + 1e-12 * coarse(engine))
                                                   : 1e-3 * normal(engine) - 20);
      Values distances;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) distances.push_back(std::abs(values[i] - values[j]));
      std::sort(distances.begin(), distances.end());
      const std::size_t h = n / 2 + 1;
      const auto size = static_cast<double>(n);
      const double factor = n % 2 == 1 ? size / (size + 1.4) : size / (size + 3.8);
      EXPECT_EQ(qn(values), 2.2219 * factor * distances[h * (h - 1) / 2 - 1]) << n << " " << shape;
    }
  }
  EXPECT_EQ(qn(Values(1000, 3.5)), 0);
}

TEST(Qn, OfTenThousandNormalValuesIsTheirStandardDeviation) {
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal(100, 2);
  Values values;
  values.reserve(10000);
  for (int i = 0; i < 10000; ++i) values.push_back(normal(engine));
  EXPECT_NEAR(qn(values), 2, .05);
}

/// A table entry against 100,000 samples drawn here.
void expect_worth(int n, std::uint64_t seed) {
  constexpr int samples = 100000;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Values values(static_cast<std::size_t>(n));
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < samples; ++i) {
    for (double& value : values) value = normal(engine);
    const double spread = qn(values);
    const double log = 2 * std::log(spread);
    sum += log;
    squares += log * log;
  }
  const double middle = sum / samples;
  const double variance = squares / samples - middle * middle;
  const QnWorth worth = qn_worth(n);
  EXPECT_NEAR(variance / trigamma(worth.degrees / 2), 1, .025) << n;
  const double expected = digamma(worth.degrees / 2) - std::log(worth.degrees / 2);
  EXPECT_NEAR(middle - expected, std::log(worth.bias), 4 * std::sqrt(variance / samples) + .004) << n;
}

TEST(QnWorth, IsWhatSamplesShow) {
  for (const int n : {2, 3, 5, 8, 10, 20, 30, 40}) expect_worth(n, 17 + static_cast<std::uint64_t>(n));
}

TEST(QnWorth, OfTwoValuesIsTheirDistance) {
  EXPECT_EQ(qn_worth(2).degrees, 1);
  EXPECT_NEAR(qn_worth(2).bias, std::acos(-1.0) / 2, 1e-12);
}

TEST(QnWorth, GrowsWithoutAStepAndEndsAtTheEfficiencyOfQn) {
  EXPECT_EQ(qn_worth(5).degrees, 1.97);
  EXPECT_EQ(qn_worth(10).degrees, 5.82);
  EXPECT_NEAR(qn_worth(25).degrees, (12.99 + 20.69) / 2, 1e-12);
  for (int n = 4; n < 1000; ++n) {
    const double step = qn_worth(n).degrees - qn_worth(n - 1).degrees;
    EXPECT_GT(step, 0) << n;
    EXPECT_LT(step, n > 20 ? .9 : 1.4) << n;
    EXPECT_GT(qn_worth(n).bias, 1) << n;
  }
  EXPECT_NEAR(qn_worth(41).bias, qn_worth(40).bias, .001);
  EXPECT_NEAR(qn_worth(1000000).degrees / 1e6, .8227, 1e-4);
  EXPECT_NEAR(qn_worth(1000000).bias, 1, 1e-6);
  EXPECT_THROW(qn_worth(1), std::invalid_argument);
}

TEST(RobustVariance, IsQnSquaredWithoutItsBias) {
  EXPECT_NEAR(robust_variance(Values{1, 2, 4, 8, 16}), 5.6258508 * 5.6258508 / 1.274, 1e-9);
  EXPECT_THROW(robust_variance(Values{1}), std::invalid_argument);
}

TEST(ShareLowerBound, IsThatOfClopperAndPearson) {
  EXPECT_NEAR(share_lower_bound(20, 20), std::pow(.05, 1. / 20), 1e-9);
  EXPECT_NEAR(share_lower_bound(300, 300), std::pow(.05, 1. / 300), 1e-9);
  EXPECT_LT(share_lower_bound(297, 300), .99);
  EXPECT_EQ(share_lower_bound(0, 300), 0);
  EXPECT_EQ(share_lower_bound(0, 0), 0);
  EXPECT_THROW(share_lower_bound(2, 1), std::invalid_argument);
}

TEST(GammaDerivatives, MatchTheirTables) {
  EXPECT_NEAR(digamma(0.5), -1.9635100260214235, 1e-12);
  EXPECT_NEAR(digamma(1), -0.5772156649015329, 1e-12);
  EXPECT_NEAR(digamma(10), 2.251752589066721, 1e-12);
  EXPECT_NEAR(trigamma(1), 1.6449340668482264, 1e-12);   // pi^2 / 6
  EXPECT_NEAR(trigamma(0.5), 4.934802200544679, 1e-12);  // pi^2 / 2
  EXPECT_THROW(digamma(0), std::invalid_argument);
}

TEST(TrigammaInverse, UndoesTrigammaOverItsWholeRange) {
  EXPECT_NEAR(trigamma_inverse(0.01), 100.49916668194322, 1e-8);
  EXPECT_NEAR(trigamma_inverse(0.5), 2.459952948352307, 1e-10);
  EXPECT_NEAR(trigamma_inverse(2), 0.8766640774642601, 1e-10);
  EXPECT_NEAR(trigamma_inverse(100), 0.10072375880005267, 1e-10);
  for (const double y : {1e-4, 3.69, 1e7}) EXPECT_NEAR(trigamma_inverse(trigamma(y)) / y, 1, 1e-6) << y;
  EXPECT_THROW(trigamma_inverse(0), std::invalid_argument);
}

TEST(Prior, FollowsMeanAndVarianceOfTheLogarithms) {
  const Prior same = fit_prior(Values{1e-4, 4e-4, 2.5e-5, 9e-4, 1.6e-3}, Values(5, 7.38));
  EXPECT_NEAR(same.degrees, 1.499306283586001, 1e-8);
  EXPECT_NEAR(same.variance, 0.00014006585557702083, 1e-12);
  const Prior mixed = fit_prior(Values{1e-4, 4e-4, 2.5e-5, 9e-4}, Values{3.28, 7.38, 7.38, 15.58});
  EXPECT_NEAR(mixed.degrees, 1.7833328260097425, 1e-8);
  EXPECT_NEAR(mixed.variance, 0.00010658816534534022, 1e-12);
}

TEST(Prior, IsInfiniteWhenTheMetricsVaryNoMoreThanChance) {
  const Prior prior = fit_prior(Values{1e-4, 1.1e-4, .9e-4}, Values(3, 7.38));
  EXPECT_EQ(prior.degrees, infinity);
  EXPECT_NEAR(prior.variance, 0.00011482372781419435, 1e-12);
  const Moderated moderated = moderate(prior, 1e-2, 7.38);
  EXPECT_NEAR(moderated.degrees, 3 * 7.38, 1e-12) << "not more than three metrics know together";
  EXPECT_NEAR(prior.worth(), 3 * 7.38, 1e-12);
  EXPECT_EQ(moderated.variance, prior.variance);
}

TEST(Prior, SharesNothingFromOneMetricAndRefusesAVarianceOfZero) {
  EXPECT_EQ(fit_prior(Values{1e-4}, Values{7}).degrees, 0);
  EXPECT_THROW(fit_prior(Values{1e-4, 0}, Values{7, 7}), std::invalid_argument);
  EXPECT_THROW(fit_prior(Values{1e-4}, Values{7, 7}), std::invalid_argument);
}

TEST(Moderate, WeighsTheMetricsOwnVarianceAgainstThePrior) {
  const Moderated moderated = moderate({1.499306283586001, 0.00014006585557702083}, 1e-4, 7.38);
  EXPECT_NEAR(moderated.variance, 0.00010676527952807777, 1e-15);
  EXPECT_NEAR(moderated.degrees, 8.879306283586, 1e-12);
  EXPECT_EQ(moderate({}, 1e-4, 7.38).variance, 1e-4);
  EXPECT_EQ(moderate({}, 1e-4, 7.38).degrees, 7.38);
  EXPECT_EQ(moderate({5, 1e-4, 9}, 1e-4, 7.38).degrees, 9);
}

TEST(StudentT, HasTheQuantilesOfItsTables) {
  EXPECT_NEAR(t_quantile(.95, 7.38), 1.8800042582389676, 1e-10);
  EXPECT_NEAR(t_quantile(.9998, 7.38), 6.09796709201079, 1e-9);
  EXPECT_NEAR(t_quantile(.95, 3.28), 2.273678696289923, 1e-10);
  EXPECT_NEAR(t_quantile(.99, 15.5), 2.5926463066900074, 1e-10);
  EXPECT_NEAR(t_quantile(.975, 1), 12.706204736174694, 1e-9);
  EXPECT_NEAR(t_quantile(.95, infinity), 1.6448536269514722, 1e-12);
  EXPECT_NEAR(t_upper_tail(6, 10), 6.605443017739279e-05, 1e-15);
  EXPECT_NEAR(t_upper_tail(2, 7.38), 0.041758303088151504, 1e-12);
  EXPECT_NEAR(t_upper_tail(-1, 5), 0.8183912661754386, 1e-12);
  EXPECT_NEAR(t_upper_tail(2, infinity), 0.022750131948179195, 1e-14);
  EXPECT_THROW(t_quantile(1, 5), std::invalid_argument);
  EXPECT_THROW(t_quantile(.5, 0), std::invalid_argument);
}

TEST(BinomialTail, IsExactDownToTheProbabilitiesThatMatter) {
  EXPECT_NEAR(binomial_upper_tail(2, .005, 2), 2.5e-5, 1e-18);
  EXPECT_NEAR(binomial_upper_tail(3, .05, 3), 1.25e-4, 1e-16);
  EXPECT_NEAR(binomial_upper_tail(6, .1, 4), 1.27e-3, 1e-15);
  EXPECT_EQ(binomial_upper_tail(4, .3, 0), 1);
  EXPECT_EQ(binomial_upper_tail(4, .3, 5), 0);
}

TEST(NeededRounds, GrowsWithContaminationAndSaysWhenNoCountIsEnough) {
  const double level = .01 / 300;  // 150 metrics
  EXPECT_EQ(needed_rounds(2, .005, level), 2);
  EXPECT_EQ(needed_rounds(2, .05, level), 3);  // .0025: two bad rounds prove nothing
  EXPECT_EQ(needed_rounds(3, .05, level), 4);  // .000125 still above .0000333
  EXPECT_EQ(needed_rounds(4, .05, level), 4);  // .00000625
  EXPECT_EQ(needed_rounds(6, .1, level), 6);   // five of six: .000055
  EXPECT_EQ(needed_rounds(6, .2, level), 7);
  EXPECT_EQ(needed_rounds(2, .0, 1e-9), 2) << "never less than two";
}

TEST(Holm, StepsDownUntilTheFirstThatHolds) {
  EXPECT_EQ(holm(Values{.01, .04, .03, .005}, .05), (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(holm(Values{.012, .016, .024, .05}, .05), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(holm(Values{.013, .001}, .01), (std::vector<bool>{false, true}));
  EXPECT_EQ(holm(Values{std::nan("")}, .05), (std::vector<bool>{false}));
  EXPECT_EQ(holm(Values{std::nan(""), .001, std::nan(""), .02}, .05),
            (std::vector<bool>{false, true, false, false}));
  EXPECT_TRUE(holm(Values{}, .05).empty());
}

// The fifteen p-values of Benjamini and Hochberg (1995), table 1: at .05 their procedure rejects four.
TEST(BenjaminiHochberg, RejectsFourOfTheFifteenOfItsPaper) {
  const Values p{.0095, .0001, .0004, .0019, .0201, .0278, .0298, .0344,
                 .0459, .3240, .4262, .5719, .6528, .7590, 1.0};
  const std::vector<bool> rejected = benjamini_hochberg(p, .05);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(rejected[i], i < 4) << p[i];
  EXPECT_EQ(std::count(rejected.begin(), rejected.end(), true), 4);
}

TEST(BenjaminiHochberg, StepsUpAndNeverRejectsNan) {
  EXPECT_EQ(benjamini_hochberg(Values{.04, .03, .05, .02}, .05), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(benjamini_hochberg(Values{.02, .03, .04, .2}, .05),
            (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(benjamini_hochberg(Values{std::nan(""), .001}, .05), (std::vector<bool>{false, true}));
  EXPECT_TRUE(benjamini_hochberg(Values{}, .05).empty());
}

TEST(MinimumDetectableChange, IsTheToleranceOrWhatNoiseMakesOfIt) {
  EXPECT_NEAR(minimum_detectable_change(.03, .01, detection_quantiles(12, .01, 5), 10, 5),
              0.047070429080152194, 1e-10);
  EXPECT_NEAR(minimum_detectable_change(.10, .03, detection_quantiles(7.38, .01, 5), 5, 5),
              0.19478506562144943, 1e-10);
  EXPECT_EQ(minimum_detectable_change(.03, .001, detection_quantiles(12, .01, 5), 10, 5), .03);
}

TEST(MinimumDetectableChange, GrowsWhereFewerFreshRoundsAreAveraged) {
  EXPECT_GT(minimum_detectable_change(.03, .01, detection_quantiles(12, .01, 1), 10, 1),
            1.3 * minimum_detectable_change(.03, .01, detection_quantiles(12, .01, 5), 10, 5));
  EXPECT_THROW(detection_quantiles(12, .01, 0), std::invalid_argument);
  EXPECT_THROW(minimum_detectable_change(.03, .01, 4, 10, 0), std::invalid_argument);
}

TEST(ChanceOfARound, GivesTheCountItsPower) {
  for (const auto& [rounds, needed] : std::vector<std::pair<int, int>>{{8, 8}, {8, 5}, {6, 2}})
    EXPECT_NEAR(binomial_upper_tail(rounds, chance_of_a_round(rounds, needed, .9), needed), .9, 1e-12);
  EXPECT_NEAR(chance_of_a_round(8, 8, .9), std::pow(.9, 1.0 / 8), 1e-12);
  EXPECT_EQ(chance_of_a_round(8, 9, .9), 1);
  EXPECT_THROW(chance_of_a_round(8, 0, .9), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::judge
