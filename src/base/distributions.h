// The distributions that statistics rest on: normal, Student's t, and the incomplete beta function
// behind the latter and behind the binomial.
//
// Accuracy: ten digits, also far out in the tails, because a table of a thousand functions asks for
// probabilities of 1e-5 and less.
#pragma once

namespace wick {

// What each tail of 2.5 % of the normal distribution begins at.
inline constexpr double kNormal95 = 1.959963984540054;

// How often a normal deviate lies further from zero than z, on both sides together.
double normal_two_sided(double z);
// The z with normal_two_sided(z) == probability; infinite for 0.
double normal_deviate(double probability);

// The same for Student's t with `degrees` of freedom; any number above 0, infinity is the normal.
double student_two_sided(double t, double degrees);
double student_deviate(double probability, double degrees);

// I_x(a, b), regularised; a and b above 0.
double incomplete_beta(double a, double b, double x);

}  // namespace wick
